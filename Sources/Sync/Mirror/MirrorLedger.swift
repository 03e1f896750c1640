import Persistence

/// The state of a mirror: the changes and answers that the local store does not have yet. It is a plain value without
/// locks or stores.
///
/// Answers may arrive in another order than that in which the server gave them. So an answer is not mirrored if a write
/// was under way meanwhile, and an object with two writes at once is removed from the mirror until it is read again:
///
/// | reader | writer | |
/// |---|---|---|
/// | asks the remote store | | `beginReading`: the stamp is 0 |
/// | | writes to the remote store | `beginWriting`: the stamp is 1 |
/// | gets an answer from before the write | | `endReading`: the answer keeps the stamp 0 |
/// | | the write is mirrored | `endWriting` |
/// | the answer is not mirrored | | `next`: its stamp is old |
///
/// An answer is mirrored without the objects about which an answer tells that was asked for later and is mirrored
/// already. It is not mirrored at all if the later one is an answer to the same question.
struct MirrorLedger<Object: Identifiable & Equatable & Sendable>: Sendable where Object.ID: Primitive {
    /// A change that the remote store has accepted.
    enum Change: Equatable, Sendable {
        case stored(Object)
        case gone(Object.ID)

        var id: Object.ID {
            switch self {
            case let .stored(object): object.id
            case let .gone(id): id
            }
        }
    }

    /// An answer of the remote store.
    struct Answer: Equatable, Sendable {
        let question: String
        /// The condition of the answer's range: stored objects that match it and are not in the answer were deleted.
        let window: Condition<Object>
        let objects: [Object]
        /// The ids of the objects in the range that the remote store has, and that cannot be read.
        var leftOut: Set<Object.ID> = []
    }

    enum Job: Equatable, Sendable {
        case change(Change)
        /// `later` are the mirrored answers that were asked for later.
        case answer(Answer, later: [Answer] = [])
    }

    private struct Writing {
        var count: Int
        /// `true` if several writes overlapped, so that it is not known which one was last.
        var isAmbiguous: Bool
    }

    /// The number of writes that had begun when a read began, and the number of the read.
    struct ReadStamp: Equatable, Sendable {
        fileprivate let writes: Int
        fileprivate let number: Int
    }

    /// The changes with their numbers, by which one is told from a later one: an object need not equal itself if it has a
    /// number that is NaN, and objects that differ may count as equal.
    private var changes: [(number: Int, change: Change)] = []
    private var lastChange = 0
    /// The number of the change that is being mirrored.
    private var mirroredChange: Int?
    private var answers: [(stamp: ReadStamp, answer: Answer)] = []
    private var running: [Object.ID: Writing] = [:]
    private var writes = 0
    /// The reads that are under way.
    private var reading: Set<Int> = []
    private var lastRead = 0
    /// The answers that were mirrored and may be later than one that is still to come: the last one to each question.
    private var mirrored: [String: (number: Int, answer: Answer)] = [:]
    /// The number of the read whose answer is being mirrored.
    private var mirroredRead: Int?
    /// True while a job is under way.
    private(set) var isMirroring = false
    private var lastError: StoreError?

    var status: MirrorStatus {
        lastError.map { .behind(changes: changes.count, because: $0) } ?? .complete
    }

    // MARK: - Reading and writing

    /// Begins a read; nil if a write is under way, since the answer will not be mirrored then.
    mutating func beginReading() -> ReadStamp? {
        guard running.isEmpty else { return nil }
        lastRead += 1
        reading.insert(lastRead)
        return ReadStamp(writes: writes, number: lastRead)
    }

    /// Ends a read; `answer` is nil if the remote store failed.
    mutating func endReading(_ answer: Answer?, _ stamp: ReadStamp?) {
        guard let stamp else { return }
        reading.remove(stamp.number)
        if let answer { answers.append((stamp, answer)) }
    }

    mutating func beginWriting(_ id: Object.ID) {
        writes += 1
        running[id] = Writing(count: (running[id]?.count ?? 0) + 1, isAmbiguous: running[id] != nil)
    }

    /// Ends a write with the change that it made; `change` is nil if the remote store failed.
    mutating func endWriting(_ id: Object.ID, _ change: Change?) {
        guard let writing = running[id] else { return }
        running[id] = writing.count > 1 ? Writing(count: writing.count - 1, isAmbiguous: true) : nil
        guard let change else { return }
        lastChange += 1
        changes.removeAll { $0.change.id == id }
        changes.append((lastChange, writing.isAmbiguous ? .gone(id) : change))
    }

    // MARK: - Mirroring

    /// Returns the next job: one at a time, changes before answers.
    mutating func next() -> Job? {
        guard !isMirroring else { return nil }
        if let (number, change) = changes.first {
            (isMirroring, mirroredChange) = (true, number)
            return .change(change)
        }
        while !answers.isEmpty {
            let (stamp, answer) = answers.removeFirst()
            let isOvertaken = mirrored[answer.question].map { $0.number > stamp.number } ?? false
            if stamp.writes == writes, !isOvertaken {
                (isMirroring, mirroredRead) = (true, stamp.number)
                return .answer(answer, later: mirrored.values.filter { $0.number > stamp.number }.map(\.answer))
            }
        }
        return nil
    }

    /// Ends a job. A change that failed is kept and tried again. Answers are dropped then, since their questions will
    /// be asked again. A job that was cancelled with its caller says nothing about the local store; its change is still
    /// to be mirrored.
    mutating func end(_ job: Job, _ result: Result<Void, StoreError>) {
        isMirroring = false
        switch result {
        case .success:
            lastError = nil
            switch job {
            // A later change may have replaced it meanwhile.
            case .change: changes.removeAll { $0.number == mirroredChange }
            case let .answer(answer, _): note(answer)
            }
        case .failure(.cancelled):
            if case .change = job, lastError == nil { lastError = .cancelled }
        case let .failure(error):
            lastError = error
            answers = []
        }
    }

    // MARK: - The order of answers

    /// Records that an answer was mirrored, for earlier ones that are still to come.
    private mutating func note(_ answer: Answer) {
        if let mirroredRead { mirrored[answer.question] = (mirroredRead, answer) }
        let earliest = reading.union(answers.map(\.stamp.number)).min() ?? .max
        mirrored = mirrored.filter { $0.value.number >= earliest }
    }
}

extension MirrorLedger {
    /// Returns those of some objects about which none of the answers tells that they exist, or that they do not.
    static func objects(_ objects: [Object], unknownTo answers: [Answer]) -> [Object] {
        if answers.isEmpty { return objects }
        let ids = Set(answers.lazy.flatMap(\.objects).map(\.id))
        return objects.filter { object in
            // If a condition cannot be checked, the object may be in its range.
            !ids.contains(object.id) && !answers.contains { (try? $0.window.matches(object)) ?? true }
        }
    }
}
