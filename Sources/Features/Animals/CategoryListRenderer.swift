import Presentation

struct CategoryListRenderer: Renderer {
    func render(_ state: CategoryListViewModel.State) -> Screen<CategoryListViewModel.Action> {
        Screen(
            title: "Animals",
            sections: [
                .init(rows: status(state)),
                .init(rows: state.categories.map(row)),
            ],
            actions: [
                .init("Add an animal", key: "a", isEnabled: !state.categories.isEmpty, action: .add),
                .init("Refresh", key: "r", isEnabled: !state.fetching.isUnderWay, action: .refresh),
                .init(
                    "Reload sample data", key: "s", isEnabled: !state.reloading.isUnderWay, action: .reloadSampleData),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func status(_ state: CategoryListViewModel.State) -> [Row] {
        let rows: [Row] =
            state.fetching.rows("Loading the animals", retry: .refresh)
            + state.reloading.rows("Reloading the sample data", retry: .reloadSampleData)
        guard rows.isEmpty else { return rows }
        return [
            .text(state.categories.isEmpty ? "There are no categories yet." : "Which animals would you like to see?")
        ]
    }

    private func row(_ summary: AnimalsLibrary.CategorySummary) -> Row {
        .choice(
            summary.category.name, detail: summary.count.counting("animal", "animals"),
            action: .choose(summary.category.id))
    }
}
