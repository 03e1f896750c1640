import Presentation

struct QuestionsRenderer: Renderer {
    func render(_ state: QuestionsViewModel.State) -> Screen<QuestionsViewModel.Action> {
        Screen(
            title: "Ask a question",
            sections: [
                .init(rows: [question(state)] + status(state)),
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

    private func status(_ state: QuestionsViewModel.State) -> [Row] {
        switch state.phase {
        case .editing: []
        case let .asking(_, attempt):
            [.progress("Asking", attempt: attempt)]
        case let .failed(error, _):
            [.notice(.error, "\(error)", button: .init("Try again", key: .control("t"), action: .ask))]
        }
    }

    private func answers(_ state: QuestionsViewModel.State) -> [Row] {
        guard let questions = state.questions else { return [] }
        if questions.isEmpty { return [.text("Nobody has asked that before.")] }
        return questions.flatMap { [.value("Q", $0.question), .value("A", $0.answer)] }
    }
}
