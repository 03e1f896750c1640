import Presentation

struct AnimalsLaunchRenderer: Renderer {
    func render(_ state: AnimalsLaunchViewModel.State) -> Screen<AnimalsLaunchViewModel.Action> {
        Screen(
            title: "Where are the animals kept?",
            sections: [
                .init(rows: state.failure.map { [.notice(.error, "\($0)")] } ?? []),
                .init(rows: AnimalsPlace.allCases.map { .choice($0.name, action: .choose($0)) }),
            ],
            actions: [.init("Leave", key: .escape, action: .leave)])
    }
}
