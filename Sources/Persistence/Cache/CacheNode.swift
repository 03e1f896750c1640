/// A part of the cache that watches read: the entry of an entity, or a list.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
class CacheNode: @unchecked Sendable {
    /// The first watch that shows the node. Most entities have only one, and a dictionary would cost more than the rest
    /// of the node.
    private var reading: CacheReading?
    /// The other watches that show the node.
    private var readings: [ObjectIdentifier: CacheReading] = [:]

    @usableFromInline
    init() {}

    @usableFromInline
    final var isWatched: Bool { reading != nil || !readings.isEmpty }

    /// Notes that a watch shows it.
    @usableFromInline
    final func note(_ watch: CacheWatch) {
        if let reading, reading.watch === watch { return watch.note(reading) }
        if !readings.isEmpty, let reading = readings[ObjectIdentifier(watch)] { return watch.note(reading) }
        guard let new = watch.noteNew(self) else {
            // The watch has ended while it was reading; nobody else may need the node, which was perhaps just made.
            return isWatched ? () : becameUnwatched()
        }
        let wasWatched = isWatched
        if reading == nil { reading = new } else { readings[ObjectIdentifier(watch)] = new }
        if !wasWatched { becameWatched() }
    }

    fileprivate final func forget(_ watch: CacheWatch) {
        if let reading, reading.watch === watch {
            self.reading = nil
        } else {
            readings[ObjectIdentifier(watch)] = nil
        }
        if !isWatched { becameUnwatched() }
    }

    /// Calls `body` with each watch that shows it.
    final func forEachWatch(_ body: (CacheWatch) -> Void) {
        if let reading { body(reading.watch) }
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
final class CacheReading {
    // Unowned, since a node exists as long as it has readings, and a watch removes its readings when it ends.
    unowned(unsafe) let node: CacheNode
    unowned(unsafe) let watch: CacheWatch
    /// The last pass of the watch that read the node.
    fileprivate(set) var pass: Int

    fileprivate init(_ node: CacheNode, _ watch: CacheWatch, pass: Int) {
        self.node = node
        self.watch = watch
        self.pass = pass
    }

    fileprivate func forget() { node.forget(watch) }
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

    private var phase = Phase.due
    private var readings: [CacheReading] = []
    private var pass = 0
    /// The number of readings that were used in this pass.
    private var used = 0
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

    fileprivate func note(_ reading: CacheReading) {
        if reading.pass == pass { return }
        reading.pass = pass
        used += 1
    }

    /// Notes a node that it had not read before; nil if the watch has ended.
    fileprivate func noteNew(_ node: CacheNode) -> CacheReading? {
        guard phase != .over else { return nil }
        let reading = CacheReading(node, self, pass: pass)
        readings.append(reading)
        used += 1
        return reading
    }

    /// Ends the reading; returns false if it must be repeated. Nodes that were not read this time are no longer shown
    /// by the watch.
    @usableFromInline
    func finish() -> Bool {
        guard phase != .stale else { return false }
        guard phase != .over else { return true }
        phase = .idle
        if used < readings.count {
            let unused = readings.filter { $0.pass != pass }
            readings.removeAll { $0.pass != pass }
            for reading in unused { reading.forget() }
        }
        return true
    }

    /// Ends the watch, and returns its function, which must be released without the lock.
    @usableFromInline
    func end() -> (@Sendable (CacheWatch) -> Void)? {
        let read = readings
        readings = []
        for reading in read { reading.forget() }
        phase = .over
        defer { body = nil }
        return body
    }

    /// Ends the watch when the cache and its nodes are deallocated.
    func drop() -> (@Sendable (CacheWatch) -> Void)? {
        readings = []
        phase = .over
        defer { body = nil }
        return body
    }
}
