import Presentation

public struct DeparturesRenderer: Renderer {
    public init() {}

    public func render(_ state: DeparturesViewModel.State) -> Screen<DeparturesViewModel.Action> {
        Screen(
            title: "Departures",
            sections: [
                .init(rows: state.loading.rows("Loading the departures", retry: .refresh)),
                .init(rows: leftOut(state)),
                .init(rows: state.departures.map { .value($0.destination, "\($0.minutes) min") }),
            ],
            actions: [
                .init("Refresh", key: "r", isEnabled: !state.loading.isUnderWay, action: .refresh),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func leftOut(_ state: DeparturesViewModel.State) -> [Row] {
        if state.leftOut == 0 { return [] }
        return [.notice(.warning, "\(state.leftOut.counting("departure", "departures")) could not be read.")]
    }
}
