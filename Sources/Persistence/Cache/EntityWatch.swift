/// A function that is run again when an entity changes that it has read.
///
///     idle ── invalidate ──▶ due ── begin ──▶ running ── finish ──▶ idle
///                                               │  ▲
///                                    invalidate ▼  │ begin, since what was read may not belong together
///                                              stale
// Unchecked, since only whoever holds the cache's lock reaches it.
@usableFromInline
final class EntityWatch: @unchecked Sendable {
    private enum Phase {
        case idle
        case due
        case running
        case stale
        case over
    }

    private var phase = Phase.due
    private var readings: [EntityReading] = []
    private var pass = 0
    /// How many of the readings were used in this pass.
    private var used = 0
    /// Reads again, and tells the observer; to be called without the lock.
    private(set) var body: (@Sendable (EntityWatch) -> Void)?

    init(_ body: @escaping @Sendable (EntityWatch) -> Void) { self.body = body }

    /// Notes that something it read has changed; returns whether it must be run for that.
    @usableFromInline
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

    /// Begins to read; false where nobody wants to know any more.
    func begin() -> Bool {
        guard phase != .over else { return false }
        phase = .running
        pass += 1
        used = 0
        return true
    }

    @usableFromInline
    func note(_ reading: EntityReading) {
        if reading.pass == pass { return }
        reading.pass = pass
        used += 1
    }

    /// Notes an entity that it had not read before; false where it is over.
    func noteNew(_ reading: EntityReading) -> Bool {
        guard phase != .over else { return false }
        readings.append(reading)
        note(reading)
        return true
    }

    /// Ends the reading; false where it must be done again. What was not read this time concerns it no more.
    func finish() -> Bool {
        guard phase != .stale else { return false }
        guard phase != .over else { return true }
        phase = .idle
        if used < readings.count {
            for reading in readings where reading.pass != pass { reading.forget(reading) }
            readings.removeAll { $0.pass != pass }
        }
        return true
    }

    /// Ends the watch, and returns what it held on to for its observer, which must go without the lock.
    func end() -> (@Sendable (EntityWatch) -> Void)? {
        for reading in readings { reading.forget(reading) }
        return drop()
    }

    /// Ends the watch of a cache that is gone.
    func drop() -> (@Sendable (EntityWatch) -> Void)? {
        phase = .over
        readings = []
        defer { body = nil }
        return body
    }
}

/// That a watch has read an entity.
@usableFromInline
final class EntityReading {
    @usableFromInline let watch: EntityWatch
    fileprivate(set) var pass = 0
    let forget: (EntityReading) -> Void

    init(_ watch: EntityWatch, forget: @escaping (EntityReading) -> Void) {
        self.watch = watch
        self.forget = forget
    }
}
