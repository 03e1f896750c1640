import Presentation

struct CitiesRenderer: Renderer {
    func render(_ state: CitiesViewModel.State) -> Screen<CitiesViewModel.Action> {
        Screen(
            title: "Cities",
            sections: [
                .init(rows: status(state)),
                .init(rows: state.cities.map(row)),
            ],
            actions: [
                .init("Refresh", key: "r", isEnabled: !state.isLoading, action: .refresh),
                .init("Ask a question", key: "a", action: .ask),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func status(_ state: CitiesViewModel.State) -> [Row] {
        var rows: [Row] = []
        switch state.loading {
        case .idle where state.cities.isEmpty:
            rows.append(.text("There are no cities yet."))
        case .idle:
            rows.append(.text("Where shall we deliver to?"))
        case let .underWay(attempt):
            rows.append(.progress("Loading the cities", attempt: attempt))
        case let .failed(error, _):
            let retry = Button("Try again", key: "t", action: .refresh)
            rows.append(.notice(.error, "\(error)", button: retry))
        }
        if state.leftOut > 0 {
            let count = state.leftOut.counting("city was", "cities were")
            rows.append(.notice(.warning, "\(count) left out, as the server's description made no sense."))
        }
        return rows
    }

    private func row(_ city: City) -> Row {
        let minutes = city.deliveryMinutes.map { ", in \($0.counting("minute", "minutes"))" } ?? ""
        let detail = "\(city.country), \(city.population.counting("person", "people"))\(minutes)"
        return .choice(city.name, detail: detail, action: .choose(city.id))
    }
}
