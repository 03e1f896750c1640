/// A question that was asked before, with its answer.
public struct Question: Codable, Equatable, Identifiable, Sendable {
    public var id: Int
    public var question: String
    public var answer: String

    public init(id: Int, question: String, answer: String) {
        self.id = id
        self.question = question
        self.answer = answer
    }
}
