import Persistence

/// Keeps the books on what is to be mirrored: a state machine without locks or stores.
///
/// What is heard of a movie may arrive in another order than it happened. An answer during which somebody wrote is therefore
/// not mirrored, and a movie to which two wrote at once is forgotten by the mirror until it is read again.
struct MirrorLedger: Sendable {
    /// What became of a movie.
    enum Change: Equatable, Sendable {
        case stored(Movie)
        case gone(Movie.ID)

        var id: Movie.ID {
            switch self {
            case let .stored(movie): movie.id
            case let .gone(id): id
            }
        }
    }

    /// What the remote store has answered.
    struct Answer: Equatable, Sendable {
        let question: String
        /// What the answer speaks of: all others of which this is true are gone.
        let window: Condition<Movie>
        let movies: [Movie]
    }

    enum Job: Equatable, Sendable {
        case change(Change)
        case answer(Answer)
    }

    /// Shown by who has read, to have the answer mirrored.
    struct Ticket: Equatable, Sendable {
        fileprivate let writes: Int
    }

    private var changes: [Change] = []
    private var answers: [(Ticket, Answer)] = []
    private var running: [Movie.ID: (count: Int, isDoubtful: Bool)] = [:]
    private var writes = 0
    private var isMirroring = false
    private var lastError: StoreError?

    var status: MirrorStatus {
        lastError.map { .behind(changes: changes.count, because: $0) } ?? .complete
    }

    // MARK: - Reading and writing

    /// Begins to read; without a ticket where somebody is writing.
    mutating func beginReading() -> Ticket? { running.isEmpty ? Ticket(writes: writes) : nil }

    mutating func endReading(_ answer: Answer, _ ticket: Ticket?) {
        if let ticket { answers.append((ticket, answer)) }
    }

    mutating func beginWriting(_ id: Movie.ID) {
        writes += 1
        running[id] = (count: (running[id]?.count ?? 0) + 1, isDoubtful: running[id] != nil)
    }

    /// Ends a write, with what became of the movie; `nil` where the remote store failed.
    mutating func endWriting(_ id: Movie.ID, _ change: Change?) {
        guard let entry = running[id] else { return }
        running[id] = entry.count > 1 ? (entry.count - 1, true) : nil
        guard let change else { return }
        changes.removeAll { $0.id == id }
        changes.append(entry.isDoubtful ? .gone(id) : change)
    }

    // MARK: - Mirroring

    /// What is to be mirrored next, for the one who mirrors: there is one at a time, and changes come first.
    mutating func next() -> Job? {
        guard !isMirroring else { return nil }
        if let change = changes.first {
            isMirroring = true
            return .change(change)
        }
        while !answers.isEmpty {
            let (ticket, answer) = answers.removeFirst()
            if ticket.writes == writes {
                isMirroring = true
                return .answer(answer)
            }
        }
        return nil
    }

    /// A change that failed is kept, to be tried again. An answer is not: it will be asked for again.
    mutating func end(_ job: Job, _ result: Result<Void, StoreError>) {
        isMirroring = false
        switch result {
        case .success:
            lastError = nil
            // It may have been replaced by a later one meanwhile.
            if case let .change(change) = job { changes.removeAll { $0 == change } }
        case let .failure(error):
            lastError = error
            answers = []
        }
    }
}
