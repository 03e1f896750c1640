import Feedback

/// What a write changes, where anybody watches.
struct MemoryChanges<Object: Sendable>: Sendable {
    let isWatched: Bool
    /// The objects that came or went, and those that were changed, as they were and as they are.
    private(set) var objects: [Object] = []

    init(isWatched: Bool) { self.isWatched = isWatched }

    mutating func note(_ object: @autoclosure () -> Object?) {
        if isWatched, let object = object() { objects.append(object) }
    }
}

/// One query that is watched, until it ends.
final class MemoryWatch<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private struct Content: Sendable {
        let couldBeAnswer: @Sendable (Object) -> Bool
        let answer: @Sendable (MemoryTable<Object>) -> @Sendable () -> Void
    }

    private let content: Locked<Content?>

    /// - Parameter couldBeAnswer: Whether an object that came or went could change the answer.
    /// - Parameter answer: Returns what asks again and tells the observer.
    init(
        couldBeAnswer: @escaping @Sendable (Object) -> Bool,
        answer: @escaping @Sendable (MemoryTable<Object>) -> @Sendable () -> Void
    ) {
        content = Locked(Content(couldBeAnswer: couldBeAnswer, answer: answer))
    }

    /// Ends the watch from any thread, without waiting for a writer.
    func end() {
        let dropped = content.withLock { content in
            defer { content = nil }
            return content
        }
        // What the observer held goes here, outside of the lock.
        _ = dropped
    }

    var isOver: Bool { content.withLock { $0 == nil } }

    func couldAnswer(with object: Object) -> Bool { content.withLock { $0 }?.couldBeAnswer(object) ?? false }

    func answer(_ table: MemoryTable<Object>) -> (@Sendable () -> Void)? { content.withLock { $0 }?.answer(table) }
}
