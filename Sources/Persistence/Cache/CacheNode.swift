/// A part of the cache that watches read: the entry of an entity, or a list.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
class CacheNode: @unchecked Sendable {
    /// The first watch that shows the node, and its last pass that read the node. Most nodes have only one watch, and a
    /// dictionary would cost more than the rest of the node.
    ///
    /// Unowned, since a watch forgets its nodes when it ends, and both exist until then.
    @exclusivity(unchecked) private var watch: Unmanaged<CacheWatch>?
    @exclusivity(unchecked) private var pass = 0
    /// The other watches that show the node.
    @exclusivity(unchecked) private var readings: [ObjectIdentifier: CacheReading] = [:]

    @usableFromInline
    init() {}

    @usableFromInline
    final var isWatched: Bool { watch != nil || !readings.isEmpty }

    /// Notes that a watch shows it.
    @usableFromInline
    final func note(_ reader: CacheWatch) {
        if isFirst(reader) {
            if pass != reader.pass { pass = reader.noteAgain() }
            return
        }
        if !readings.isEmpty, let known = readings[ObjectIdentifier(reader)] {
            if known.pass != reader.pass { readings[ObjectIdentifier(reader)]?.pass = reader.noteAgain() }
            return
        }
        guard let new = reader.note(self) else {
            // The watch has ended while it was reading. Nothing else may need the node, which was perhaps just made.
            return isWatched ? () : becameUnwatched()
        }
        let wasWatched = isWatched
        if watch == nil {
            (watch, pass) = (Unmanaged.passUnretained(reader), new)
        } else {
            readings[ObjectIdentifier(reader)] = CacheReading(watch: reader, pass: new)
        }
        if !wasWatched { becameWatched() }
    }

    private final func isFirst(_ reader: CacheWatch) -> Bool {
        watch?.toOpaque() == Unmanaged.passUnretained(reader).toOpaque()
    }

    /// Returns whether the last pass of a watch that shows the node has read it.
    fileprivate final func isNoted(by reader: CacheWatch) -> Bool {
        isFirst(reader) ? pass == reader.pass : readings[ObjectIdentifier(reader)]?.pass == reader.pass
    }

    fileprivate final func forget(_ reader: CacheWatch) {
        if isFirst(reader) {
            watch = nil
        } else {
            readings[ObjectIdentifier(reader)] = nil
        }
        if !isWatched { becameUnwatched() }
    }

    /// Calls `body` with each watch that shows it.
    final func forEachWatch(_ body: (CacheWatch) -> Void) {
        if let watch { body(watch.takeUnretainedValue()) }
        guard !readings.isEmpty else { return }
        for reading in readings.values { body(reading.watch) }
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
    // Unowned, since a watch removes its readings when it ends.
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
    /// The number of nodes that were read in this pass.
    @exclusivity(unchecked) private var used = 0
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
        used = 0
        return true
    }

    /// Notes that it has read a node which it shows already; returns the pass.
    fileprivate func noteAgain() -> Int {
        used += 1
        return pass
    }

    /// Notes a node that it has not shown before, and returns the pass; nil if the watch has ended.
    fileprivate func note(_ node: CacheNode) -> Int? {
        guard phase != .over else { return nil }
        shown.append(.passUnretained(node))
        used += 1
        return pass
    }

    /// Ends the reading; returns false if it must be repeated. Nodes that were not read this time are no longer shown
    /// by the watch.
    @usableFromInline
    func finish() -> Bool {
        guard phase != .stale else { return false }
        guard phase != .over else { return true }
        phase = .idle
        if used != shown.count {
            let before = shown
            shown = []
            shown.reserveCapacity(used)
            var unused: [Unmanaged<CacheNode>] = []
            unused.reserveCapacity(before.count - used)
            for node in before {
                if node._withUnsafeGuaranteedRef({ $0.isNoted(by: self) }) {
                    shown.append(node)
                } else {
                    unused.append(node)
                }
            }
            for node in unused { node.takeUnretainedValue().forget(self) }
        }
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
