import Feedback

/// An event of a stream that is compared with a model of it.
typealias ModelEvent = SignalEvent<Int, TestError>

/// Does one thing after the other, as a stream does: what is asked for while one is under way waits for its end.
final class ModelLane {
    private var isBusy = false
    private var waiting: [() -> Void] = []

    func perform(_ work: @escaping () -> Void) {
        waiting.append(work)
        guard !isBusy else { return }
        isBusy = true
        while !waiting.isEmpty { waiting.removeFirst()() }
        isBusy = false
    }
}

extension ModelEvent {
    /// Chooses one of the three ends, most often the completion.
    static func end(_ random: inout SeededNumbers) -> ModelEvent {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .failed(.first)
        case 1, 2: .interrupted
        default: .completed
        }
    }
}
