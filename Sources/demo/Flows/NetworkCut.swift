import Feedback
import LocalBackend
import Presentation

/// Cuts a backend's network at one act of a person, and brings it back at a later one.
///
/// Texts that are typed into one field one after the other count as one act.
final class NetworkCut: Sendable {
    private struct Progress: Sendable {
        var acts = 0
        var field: String?
        var isOver = false
    }

    private let acts: Range<Int>
    private let path: String
    private let backend: LocalBackend
    private let progress = Locked(Progress())
    private let listening = ScopedDisposable()

    /// - Parameters:
    ///   - acts: The acts that are done without a network; the first act is 1.
    ///   - path: The path of the requests that get no answer.
    init(during acts: Range<Int>, of backend: LocalBackend, at path: String, on screens: ScreenStack) {
        self.acts = acts
        self.backend = backend
        self.path = path
        listening += screens.acts.startWithValues { [weak self] _, act in self?.follow(act) }
    }

    /// Brings the network back for good.
    func end() {
        progress.withLock { $0.isOver = true }
        backend.behave()
    }

    /// Counts an act. It is reported before its action is taken, so the requests of the first act get no answer
    /// already.
    private func follow(_ act: ScreenStack.Act) {
        let number = progress.withLock { progress -> Int? in
            var field: String?
            if case let .types(_, label, place) = act { field = "\(label) \(place)" }
            defer { progress.field = field }
            if progress.isOver || (field != nil && field == progress.field) { return nil }
            progress.acts += 1
            return progress.acts
        }
        if number == acts.lowerBound { backend.misbehave(.drop, at: path) }
        if number == acts.upperBound { backend.behave() }
    }
}
