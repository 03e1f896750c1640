import Presentation

struct CategoryListRenderer: Renderer {
    func render(_ state: CategoryListViewModel.State) -> Screen<CategoryListViewModel.Action> {
        Screen(
            title: "Animals",
            sections: [
                .init(rows: status(state)),
                .init(rows: state.shelves.map(row)),
            ],
            actions: [
                .init("Add an animal", key: "a", isEnabled: !state.shelves.isEmpty, action: .add),
                .init("Refresh", key: "r", isEnabled: !state.fetching.isWaiting, action: .refresh),
                .init(
                    "Reload sample data", key: "s", isEnabled: !state.reloading.isWaiting, action: .reloadSampleData),
                .init("Leave", key: .escape, action: .leave),
            ])
    }

    private func status(_ state: CategoryListViewModel.State) -> [Screen<CategoryListViewModel.Action>.Row] {
        let rows: [Screen<CategoryListViewModel.Action>.Row] =
            state.fetching.rows("Loading the animals", retry: .refresh)
            + state.reloading.rows("Reloading the sample data", retry: .reloadSampleData)
        guard rows.isEmpty else { return rows }
        return [.text(state.shelves.isEmpty ? "There are no categories yet." : "Which animals would you like to see?")]
    }

    private func row(_ shelf: AnimalsLibrary.Shelf) -> Screen<CategoryListViewModel.Action>.Row {
        .choice(
            shelf.category.name, detail: shelf.count.counting("animal", "animals"),
            action: .choose(shelf.category.id))
    }
}
