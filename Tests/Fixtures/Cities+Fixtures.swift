import Cities
