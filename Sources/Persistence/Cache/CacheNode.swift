/// A part of the cache that watches read: the entry of an entity, or a list.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
class CacheNode: @unchecked Sendable {
    /// The reading of the first watch that shows the node. Most nodes have only one watch, and a dictionary would cost more
    /// than the rest of the node.
    @exclusivity(unchecked) private var first: CacheReading?
    /// The readings of the other watches that show the node.
    @exclusivity(unchecked) private var others: [ObjectIdentifier: CacheReading] = [:]

    @usableFromInline
    init() {}

    @usableFromInline
    final var isWatched: Bool { first != nil || !others.isEmpty }

    /// Notes that a watch shows it.
    @usableFromInline
    final func note(_ watch: CacheWatch) {
        if isFirst(watch) {
            first?.pass = watch.pass
            return
        }
        if !others.isEmpty, let index = others.index(forKey: ObjectIdentifier(watch)) {
            others.values[index].pass = watch.pass
            return
        }
        guard watch.show(self) else {
            // The watch has ended while it was reading. Nothing else may need the node, which was perhaps just made.
            return isWatched ? () : becameUnwatched()
        }
        let wasWatched = isWatched
        let reading = CacheReading(watch: watch, pass: watch.pass)
        if first == nil {
            first = reading
        } else {
            others[ObjectIdentifier(watch)] = reading
        }
        if !wasWatched { becameWatched() }
    }

    private final func isFirst(_ watch: CacheWatch) -> Bool { first.map { $0.watch === watch } ?? false }

    /// Returns whether the last pass of a watch that shows the node has read it.
    fileprivate final func isNoted(by watch: CacheWatch) -> Bool {
        (isFirst(watch) ? first : others[ObjectIdentifier(watch)])?.pass == watch.pass
    }

    fileprivate final func forget(_ watch: CacheWatch) {
        if isFirst(watch) {
            first = nil
        } else {
            others[ObjectIdentifier(watch)] = nil
        }
        if !isWatched { becameUnwatched() }
    }

    /// Calls `body` with each watch that shows it.
    final func forEachWatch(_ body: (CacheWatch) -> Void) {
        if let first { body(first.watch) }
        for reading in others.values { body(reading.watch) }
    }

    @usableFromInline
    func becameWatched() {}

    /// Called when the last watch has gone.
    @usableFromInline
    func becameUnwatched() {}

    /// Returns the row of the node for the cache's file; its body is nil if the row is to be deleted.
    @usableFromInline
    func row(for file: CacheFile) -> CacheFile.PendingRow? { nil }
}

/// The fact that a watch shows a node.
private struct CacheReading {
    // Unowned, since a watch forgets its nodes when it ends, and both exist until then.
    unowned(unsafe) let watch: CacheWatch
    /// The last pass of the watch that read the node.
    var pass: Int
}

/// A function that runs again whenever something that it has read changes.
///
///     idle ── invalidate ──▶ due ── begin ──▶ running ── finish ──▶ idle
///                                               │  ▲
///                                    invalidate ▼  │ begin, since what was read may not belong together
///                                              stale
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class CacheWatch: @unchecked Sendable {
    private enum Phase {
        case idle
        case due
        case running
        case stale
        case over
    }

    @exclusivity(unchecked) private var phase = Phase.due
    /// The nodes that it shows. Unowned, since a node exists as long as a watch shows it.
    @exclusivity(unchecked) private var shown: [Unmanaged<CacheNode>] = []
    /// The number of the present or last reading.
    @exclusivity(unchecked) fileprivate private(set) var pass = 0
    /// Reads again, and tells the observer; to be called without the lock.
    private(set) var body: (@Sendable (CacheWatch) -> Void)?

    @usableFromInline
    init(_ body: @escaping @Sendable (CacheWatch) -> Void) { self.body = body }

    /// Records that something it has read has changed; returns true if it must be added to those that are due.
    func invalidate() -> Bool {
        switch phase {
        case .idle:
            phase = .due
            return true
        case .running:
            phase = .stale
            return false
        case .due, .stale, .over: return false
        }
    }

    /// Begins to read; false if the watch has ended.
    @usableFromInline
    func begin() -> Bool {
        guard phase != .over else { return false }
        phase = .running
        pass += 1
        return true
    }

    /// Notes a node that it has not shown before; returns false if the watch has ended.
    fileprivate func show(_ node: CacheNode) -> Bool {
        guard phase != .over else { return false }
        shown.append(.passUnretained(node))
        return true
    }

    /// Ends the reading; returns false if it must be repeated, or if the watch has ended. Nodes that were not read this time are no
    /// longer shown by the watch.
    @usableFromInline
    func finish() -> Bool {
        guard phase == .running else { return false }
        phase = .idle
        let firstUnused = shown.partition { node in !node._withUnsafeGuaranteedRef { $0.isNoted(by: self) } }
        let unused = Array(shown[firstUnused...])
        shown.removeSubrange(firstUnused...)
        for node in unused { node.takeUnretainedValue().forget(self) }
        return true
    }

    /// Ends the watch, and returns its function, which must be released without the lock.
    @usableFromInline
    func end() -> (@Sendable (CacheWatch) -> Void)? {
        // The nodes of a watch that was dropped may be gone.
        guard phase != .over else { return nil }
        for node in shown { node.takeUnretainedValue().forget(self) }
        return drop()
    }

    /// Ends the watch when the cache and its nodes are deallocated.
    func drop() -> (@Sendable (CacheWatch) -> Void)? {
        phase = .over
        defer { body = nil }
        return body
    }
}
