/// The reads by id that wait for a statement, and the number of statements that run.
///
/// It is a value without locks or system calls.
struct ReadQueue<Read: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let read: Read
        /// The number of bytes of the id in a statement.
        let size: Int

        var isLong: Bool { size > ReadQueue.maximumSize / 10 }
    }

    /// The greatest number of bytes of the ids in one statement, which may have one of them ten times.
    private static var maximumSize: Int { PostgresConnection.maximumUnreadSize / 2 }

    private let connections: Int
    /// The number of statements that may run at a time while answers come soon.
    private let few: Int
    private var answersSoon = true
    private var running = 0
    /// The reads that wait, and some that were cancelled meanwhile.
    private var waiting: [Waiting] = []
    /// The greatest number of those that were cancelled.
    private var cancelled = 0
    private var isWatched = false
    /// `true` if no statement has ended since the watch began.
    private var isQuiet = false

    init(connections: Int, few: Int) {
        self.connections = max(1, connections)
        self.few = max(1, min(few, connections))
    }

    /// The number of reads that wait, with those that were cancelled and are not removed yet.
    var waitingCount: Int { waiting.count }

    /// The number of statements that may run at a time.
    private var places: Int { answersSoon ? few : connections }

    /// Records that a statement begins, if one can.
    mutating func begin() -> Bool {
        guard running < places, waiting.isEmpty else { return false }
        running += 1
        return true
    }

    /// Records that a statement has ended.
    mutating func end(isSoon: Bool) {
        answersSoon = isSoon
        running -= 1
        isQuiet = false
    }

    /// Adds a read that waits.
    mutating func add(_ read: Read, size: Int) { waiting.append(Waiting(read: read, size: size)) }

    /// Records that a read was cancelled. Those that were are removed when they may be half of all. To search for each one would take
    /// long if very many are cancelled.
    mutating func cancel(_ hasEnded: (Read) -> Bool) {
        cancelled += 1
        if cancelled <= waiting.count / 2 { return }
        waiting.removeAll { hasEnded($0.read) }
        cancelled = 0
    }

    /// Returns the reads of each statement that can begin now.
    mutating func next() -> [[Read]] {
        var next: [[Read]] = []
        while running < places, !waiting.isEmpty {
            next.append(take(waiting.count / (places - running)))
            running += 1
        }
        return next
    }

    /// Removes the reads that have waited longest: so many, at least one, and no more than one statement can have. A read whose
    /// id is long has a statement of its own.
    private mutating func take(_ wanted: Int) -> [Read] {
        var count = 1
        var size = waiting[0].isLong ? Self.maximumSize : waiting[0].size
        while count < wanted, !waiting[count].isLong, size + waiting[count].size <= Self.maximumSize {
            size += waiting[count].size
            count += 1
        }
        defer { waiting.removeFirst(count) }
        return waiting[..<count].map(\.read)
    }

    /// Returns true if ``endWatch()`` must be called in a moment. While answers take long, every statement begins that can.
    mutating func beginWatch() -> Bool {
        if isWatched || waiting.isEmpty || !answersSoon { return false }
        isWatched = true
        isQuiet = true
        return true
    }

    /// Lets more statements begin if none has ended since ``beginWatch()``.
    mutating func endWatch() {
        isWatched = false
        if isQuiet { answersSoon = false }
    }
}
