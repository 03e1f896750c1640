import Presentation

struct QuakesRenderer: Renderer {
    func render(_ state: QuakesViewModel.State) -> Screen<QuakesViewModel.Action> {
        Screen(
            title: "Earthquakes",
            sections: [
                .init(rows: status(state)),
                .init(rows: selection(state)),
                .init(rows: order(state)),
                .init(rows: [.picture(WorldMap().picture(of: state.shown.unsorted, selected: state.chosen))]),
                .init(rows: state.shown.sorted.map { row($0, state) }),
            ],
            actions: actions(state))
    }

    private func status(_ state: QuakesViewModel.State) -> [Row] {
        var rows: [Row] = state.reading.rows("Reading the quakes", retry: .read)
        rows += state.refreshing.rows(
            "Refreshing the quakes of the last \(state.period)", retry: .refresh(state.period))
        if let failed = state.failedDeletion {
            rows.append(
                .notice(.error, "Nothing was deleted. \(failed.error)", button: .tryAgain(.deleteAgain)))
        }
        if state.leftOut > 0 {
            rows.append(
                .notice(.warning, "\(state.leftOut.counting("quake", "quakes")) of the feed could not be read."))
        }
        if state.status == .empty { rows.append(.text("There are no quakes yet. Refresh to fetch some.")) }
        return rows
    }

    private func selection(_ state: QuakesViewModel.State) -> [Row] {
        let counts = "\(state.shown.sorted.count.grouped) of \(state.total.grouped)"
        return [
            .field("Name", text: state.selection.searchText, placeholder: "San José", edit: { .search($0) }),
            .value("Day", state.selection.day.title),
            .button("Previous day", key: .control("b"), action: .showPreviousDay),
            .button("Next day", key: .control("f"), action: .showNextDay),
            .value("Quakes", counts),
        ]
    }

    private func order(_ state: QuakesViewModel.State) -> [Row] {
        let orders: [(String, QuakeSelection.Key, QuakeSelection.Order)] = [
            ("Newest first", .time, .descending), ("Oldest first", .time, .ascending),
            ("Strongest first", .magnitude, .descending), ("Weakest first", .magnitude, .ascending),
        ]
        return orders.map { title, key, order in
            let isSelected = (key, order) == (state.selection.key, state.selection.order)
            return .choice(title, isSelected: isSelected, action: .sort(key, order))
        }
    }

    private func row(_ quake: Quake, _ state: QuakesViewModel.State) -> Row {
        let clock = state.selection.day.clock(at: quake.time)
        return .choice(
            quake.title, detail: "M \(quake.magnitude.tenths)  \(clock)  \(quake.position)",
            isSelected: quake.id == state.chosenId, action: .choose(quake.id))
    }

    private func actions(_ state: QuakesViewModel.State) -> [Button] {
        // Keys without Control would be typed into the field, and some keys with Control edit it.
        let keys: [QuakePeriod: Character] = [.hour: "o", .day: "y", .week: "p", .month: "n"]
        let refreshes = QuakePeriod.allCases.map { period in
            Button(
                "Refresh \(period)", key: keys[period].map(Key.control), isEnabled: state.canRefresh,
                action: .refresh(period))
        }
        return refreshes + [
            .init("Delete", key: .delete, isEnabled: state.showsChosen, action: .deleteChosen),
            .init("Delete all", key: .control("x"), isEnabled: state.total > 0, action: .deleteAll),
            .init("Leave", key: .escape, action: .leave),
        ]
    }
}

extension Quake {
    /// The position as text: `38.8° N 122.8° W`.
    fileprivate var position: String {
        "\(abs(latitude).tenths)° \(latitude < 0 ? "S" : "N") \(abs(longitude).tenths)° \(longitude < 0 ? "W" : "E")"
    }
}

extension Double {
    /// The number with one decimal place.
    fileprivate var tenths: String { "\((self * 10).rounded() / 10)" }
}
