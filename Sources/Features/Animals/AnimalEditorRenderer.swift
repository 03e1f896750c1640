import Presentation

struct AnimalEditorRenderer: Renderer {
    func render(_ state: AnimalEditorViewModel.State) -> Screen<AnimalEditorViewModel.Action> {
        Screen(
            title: title(state),
            sections: [
                .init(rows: state.saving.rows("Saving", retry: .save)),
                .init(rows: name(state)),
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

    private func name(_ state: AnimalEditorViewModel.State) -> [Row] {
        state.form.rows(showsProblems: state.showsProblems, isEnabled: state.canEdit, edit: { .edit($0, $1) }) {
            field in
            switch field {
            case .name: ("Name", "Red fox")
            }
        }
    }

    private func diets(_ state: AnimalEditorViewModel.State) -> [Row] {
        Animal.Diet.allCases.map { diet in
            .choice(diet.rawValue, isSelected: diet == state.form.diet, action: .chooseDiet(diet))
        } + problem(state.form.dietProblem, state)
    }

    private func categories(_ state: AnimalEditorViewModel.State) -> [Row] {
        state.categories.map { category in
            .choice(
                category.name, isSelected: category.id == state.form.categoryId,
                action: .chooseCategory(category.id))
        } + problem(state.form.categoryProblem, state)
    }

    private func problem(_ problem: String?, _ state: AnimalEditorViewModel.State) -> [Row] {
        guard state.showsProblems, let problem else { return [] }
        return [.notice(.warning, problem)]
    }
}
