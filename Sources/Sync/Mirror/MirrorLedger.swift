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
    }

    enum Job: Equatable, Sendable {
        case change(Change)
        case answer(Answer)
    }

    private struct Writing {
        var count: Int
        /// `true` if several writes overlapped, so that it is not known which one was last.
        var isAmbiguous: Bool
    }

    /// The number of writes that had begun when a read began.
    struct ReadStamp: Equatable, Sendable {
        fileprivate let writes: Int
    }

    private var changes: [Change] = []
    private var answers: [(stamp: ReadStamp, answer: Answer)] = []
    private var running: [Object.ID: Writing] = [:]
    private var writes = 0
    private var isMirroring = false
    private var lastError: StoreError?

    var status: MirrorStatus {
        lastError.map { .behind(changes: changes.count, because: $0) } ?? .complete
    }

    // MARK: - Reading and writing

    /// Begins a read; nil if a write is under way, since the answer will not be mirrored then.
    mutating func beginReading() -> ReadStamp? { running.isEmpty ? ReadStamp(writes: writes) : nil }

    mutating func endReading(_ answer: Answer, _ stamp: ReadStamp?) {
        if let stamp { answers.append((stamp, answer)) }
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
        changes.removeAll { $0.id == id }
        changes.append(writing.isAmbiguous ? .gone(id) : change)
    }

    // MARK: - Mirroring

    /// Returns the next job: one at a time, changes before answers.
    mutating func next() -> Job? {
        guard !isMirroring else { return nil }
        if let change = changes.first {
            isMirroring = true
            return .change(change)
        }
        while !answers.isEmpty {
            let (stamp, answer) = answers.removeFirst()
            if stamp.writes == writes {
                isMirroring = true
                return .answer(answer)
            }
        }
        return nil
    }

    /// Ends a job. A change that failed is kept and tried again. Answers are dropped then, since their questions will
    /// be asked again. A job that was cancelled with its caller says nothing about the local store.
    mutating func end(_ job: Job, _ result: Result<Void, StoreError>) {
        isMirroring = false
        switch result {
        case .success:
            lastError = nil
            // A later change may have replaced it meanwhile.
            if case let .change(change) = job { changes.removeAll { $0 == change } }
        case .failure(.cancelled): break
        case let .failure(error):
            lastError = error
            answers = []
        }
    }
}
