import Presentation

struct AnimalEditorRenderer: Renderer {
    func render(_ state: AnimalEditorViewModel.State) -> Screen<AnimalEditorViewModel.Action> {
        Screen(
            title: title(state),
            sections: [
                .init(rows: state.saving.rows("Saving", retry: .save)),
                .init(rows: [name(state)]),
                .init("Diet", rows: diets(state)),
                .init("Category", rows: categories(state)),
            ],
            actions: [
                .init("Save", key: .control("s"), isEnabled: state.canEdit, action: .save),
                .init("Back", key: .escape, action: .leave),
            ])
    }

    private func title(_ state: AnimalEditorViewModel.State) -> String {
        switch state.subject {
        case .new: "A new animal"
        case let .existing(animal): "Edit \(animal.name)"
        }
    }

    private func name(_ state: AnimalEditorViewModel.State) -> Row {
        .field(
            "Name", text: state.form.name, placeholder: "Red fox",
            problem: state.showsProblems ? state.form.problem(in: .name) : nil, isEnabled: state.canEdit,
            edit: { .editName($0) })
    }

    private func diets(_ state: AnimalEditorViewModel.State) -> [Row] {
        Animal.Diet.allCases.map { diet in
            .choice(diet.rawValue, isSelected: diet == state.form.diet, action: .chooseDiet(diet))
        } + problem(in: .diet, state)
    }

    private func categories(_ state: AnimalEditorViewModel.State) -> [Row] {
        state.categories.map { category in
            .choice(
                category.name, isSelected: category.id == state.form.categoryId,
                action: .chooseCategory(category.id))
        } + problem(in: .category, state)
    }

    private func problem(in field: AnimalForm.Field, _ state: AnimalEditorViewModel.State) -> [Row] {
        guard state.showsProblems, let problem = state.form.problem(in: field) else { return [] }
        return [.notice(.warning, problem)]
    }
}
