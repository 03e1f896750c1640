import Presentation

struct AnimalListRenderer: Renderer {
    func render(_ state: AnimalListViewModel.State) -> Screen<AnimalListViewModel.Action> {
        Screen(
            title: state.category.name,
            sections: [
                .init(
                    rows: state.animals.isEmpty
                        ? [.text("There are no animals of this category yet.")]
                        : state.animals.map {
                            .choice($0.name, detail: $0.diet.rawValue, action: .choose($0.id))
                        })
            ],
            actions: [
                .init("Add an animal", key: "a", action: .add),
                .init("Back", key: .escape, action: .leave),
            ])
    }
}
