import Presentation

struct QuestionsRenderer: Renderer {
    func render(_ state: QuestionsViewModel.State) -> Screen<QuestionsViewModel.Action> {
        Screen(
            title: "Ask a question",
            sections: [
                .init(rows: [question(state)] + state.asking.rows("Asking", retry: .ask)),
                .init(rows: answers(state)),
            ],
            actions: [
                .init("Ask", key: .enter, isEnabled: state.canAsk, action: .ask),
                .init("Back", key: .escape, action: .leave),
            ])
    }

    private func question(_ state: QuestionsViewModel.State) -> Row {
        .field("Question", text: state.query, placeholder: "How long does it take?", edit: { .edit($0) })
    }

    private func answers(_ state: QuestionsViewModel.State) -> [Row] {
        guard let questions = state.questions else { return [] }
        if questions.isEmpty { return [.text("Nobody has asked this before.")] }
        return questions.flatMap { [.value("Q", $0.question), .value("A", $0.answer)] }
    }
}
