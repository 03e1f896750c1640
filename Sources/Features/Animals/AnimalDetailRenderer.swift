import Presentation

struct AnimalDetailRenderer: Renderer {
    func render(_ state: AnimalDetailViewModel.State) -> Screen<AnimalDetailViewModel.Action> {
        Screen(
            title: state.animal.name,
            sections: [
                .init(rows: status(state)),
                .init(
                    rows: [
                        .value("Diet", state.animal.diet.rawValue),
                        .value("Category", category(of: state)),
                    ]),
            ],
            actions: actions(state))
    }

    private func status(_ state: AnimalDetailViewModel.State) -> [Row] {
        if state.isGone { return [.notice(.information, "\(state.animal.name) has been deleted.")] }
        if state.deletion.isAsking {
            return [.notice(.warning, "Delete \(state.animal.name)? This cannot be undone.")]
        }
        return state.deletion.attempt.rows("Deleting \(state.animal.name)", retry: .confirm)
    }

    private func category(of state: AnimalDetailViewModel.State) -> String {
        state.categories.first { $0.id == state.animal.categoryId }?.name ?? state.animal.categoryId
    }

    private func actions(_ state: AnimalDetailViewModel.State) -> [Button] {
        if state.deletion.isAsking, state.canChange {
            return [.init("Delete it", key: "y", action: .confirm), .init("Keep it", key: .escape, action: .keep)]
        }
        return [
            .init("Edit", key: "e", isEnabled: state.canChange, action: .edit),
            .init("Delete", key: "d", isEnabled: state.canChange, action: .delete),
            .init("Back", key: .escape, action: .leave),
        ]
    }
}
