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
                .init("Refresh", key: "r", isEnabled: !state.loading.isUnderWay, action: .refresh),
                .init("Ask a question", key: "a", action: .ask),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func status(_ state: CitiesViewModel.State) -> [Row] {
        var rows: [Row] = state.loading.rows("Loading the cities", retry: .refresh)
        if rows.isEmpty {
            rows.append(.text(state.cities.isEmpty ? "There are no cities yet." : "Where shall we deliver to?"))
        }
        if state.leftOut > 0 {
            rows.append(.notice(.warning, "\(state.leftOut.counting("city", "cities")) could not be read."))
        }
        return rows
    }

    private func row(_ city: City) -> Row {
        let parts = [
            city.country, city.population.map { $0.counting("person", "people") },
            city.deliveryMinutes.map { "in \($0.counting("minute", "minutes"))" },
        ]
        return .choice(city.name, detail: parts.compactMap { $0 }.joined(separator: ", "), action: .choose(city.id))
    }
}
