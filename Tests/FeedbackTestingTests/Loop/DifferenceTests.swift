import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Differences that descriptions do not show")
struct DifferenceTests {
    /// A value whose description leaves out a part.
    private struct City: Equatable, Sendable, CustomStringConvertible {
        var name = "London"
        var population = 9
        var description: String { name }
    }

    /// A value whose description and parts say nothing.
    private struct Opaque: Equatable, Sendable, CustomReflectable {
        var secret = 0
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private final class Node: Equatable, Sendable {
        // Written only by the initializer.
        nonisolated(unsafe) private var next: Node?
        init() { next = self }
        static func == (one: Node, other: Node) -> Bool { one === other }
    }

    @Test("Dates differ by fractions of a second")
    func dates() {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let message = message(from: date, to: date.addingTimeInterval(0.25))
        #expect(message.contains("00:00:00.000") && message.contains("00:00:00.250"), "\(message)")
    }

    @Test("Values of one description are shown by their parts")
    func parts() {
        let message = message(from: [City()], to: [City(population: 10)])
        #expect(message.contains("-     population: 9\n+     population: 10"), "\(message)")
    }

    @Test("If nothing shows the difference, the message says so")
    func nothing() {
        let message = message(from: Opaque(), to: Opaque(secret: 1))
        #expect(message.contains("They differ, but their descriptions are equal"), "\(message)")
    }

    @Test("Objects are described by their types, also those that refer to themselves")
    func objects() {
        let message = message(from: [Node()], to: [Node(), Node()])
        #expect(message.contains("+   Node"), "\(message)")
    }

    /// Returns the message of a tester whose loop goes from one state to another.
    private func message<State: Equatable & Sendable>(from old: State, to new: State) -> String {
        let messages = Locked<[String]>([])
        withKnownIssue {
            let tester = LoopTester<State, Bool>(initial: old, reduce: { state, _ in state = new })
            tester.send(true)
            tester.finish()
        } matching: { issue in
            messages.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return messages.withLock { $0.joined(separator: "\n") }
    }
}
