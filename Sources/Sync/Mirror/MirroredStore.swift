import Feedback
import Foundation
import Persistence

/// A remote and a local store of the same objects. Writes go to the remote store and are mirrored in the local one.
/// Reads go to the remote store, and to the local one if the remote store fails.
///
///     let movies = MirroredStore(
///         Movie.schema, remote: PostgRESTStore(Movie.schema, accessible: session),
///         local: try SQLiteStore(Movie.schema, at: path))
///     let page = try await movies.fetch(where: \.rating == .PG_13, sortedBy: [SortCriterion(\.title)], limit: 20)
///     page.source       // .remote, or .local(staleSince: …, because: …)
///
/// Any two stores can be combined. Answers of the remote store are mirrored, too, so that they can be read again
/// without the network. If the local store fails, reads and writes of the remote store still succeed. Each answer then
/// says so (``Sourced/mirror``), and the changes are mirrored before the next answer, or by ``repair()``.
public final class MirroredStore<RemoteStore: Store, LocalStore: Store>: Sendable
where RemoteStore.Object == LocalStore.Object, RemoteStore.Object: Equatable {
    /// The type of the objects.
    public typealias Object = RemoteStore.Object

    /// Sends a value for each write that the remote store has accepted, after an attempt to mirror it in the local
    /// store.
    public let changes: Signal<Void, NoError>
    /// The objects that were left out of the remote store's last answers, since this version of the program cannot read them.
    /// Their local copies stay as they are.
    ///
    /// A `PostgRESTStore` leaves such objects out, and a ``RESTStore`` whose list prunes. With other remote stores, a read
    /// that meets such an object fails. A write that the remote store has done, and after which it cannot be read, succeeds; the
    /// local copy is then what was written.
    public let unreadable: Property<[UnreadableObject]>

    private struct State {
        var ledger = MirrorLedger<Object>()
        /// The callers that wait for the end of the job under way. They get true if they may look for a job then.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    let schema: Schema<Object>
    private let remote: RemoteStore
    let local: LocalStore
    private let answers: AnswerLog
    private let now: @Sendable () -> Date
    private let state = Locked(State())
    private let changeObserver: Signal<Void, NoError>.Observer
    let leftOut = MutableProperty<[UnreadableObject]>([])

    /// - Parameters:
    ///   - answers: Records how old the answers of the local store are. A log in the local store's database outlives
    ///     the program.
    ///   - now: Returns the current time.
    public init(
        _ schema: Schema<Object>, remote: RemoteStore, local: LocalStore, answers: AnswerLog = AnswerLog(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.schema = schema
        self.remote = remote
        self.local = local
        self.answers = answers
        self.now = now
        (changes, changeObserver) = Signal.pipe()
        unreadable = Property(leftOut)
    }

    private var status: MirrorStatus { state.withLock(\.ledger.status) }
}

// MARK: - Reading

extension MirroredStore {
    /// Returns the object with this id, or nil if there is none.
    public func object(withId id: Object.ID) async throws(StoreError) -> Sourced<Object?> {
        try await fetch(where: hasID(id), limit: 1).map(\.first)
    }

    /// Returns the objects that match a condition, sorted; with a `limit`, a page of them that begins after the last object of
    /// the page before.
    ///
    /// If the remote store fails, the local store answers, and the result says so. If the remote store has never answered this
    /// question, the local store answers with the objects that it happens to know; if it knows none, or the page is not the
    /// first one, the remote store's error is thrown.
    public func fetch(
        where condition: Condition<Object> = .always, sortedBy criteria: [SortCriterion<Object>] = [],
        after: Object? = nil, limit: Int? = nil
    ) async throws(StoreError) -> Sourced<[Object]> {
        await mirrorPending()
        let stamp = state.withLock { $0.ledger.beginReading() }
        let query = criteria.reduce(remote.filter(where: condition)) { $0.sorted(by: $1) }
            .page(after: after, limit: limit)
        do throws(StoreError) {
            let store = AnyStore(remote)
            let answer = try await store.readable(query.asked(of: store))
            note(answer.leftOut, answering: query.isAboutAll ? nil : answer.objects)
            // A later page may have no object that can be read; it is the end of the list.
            if query.after == nil { try answer.check() }
            let objects = answer.objects
            let mirrored = MirrorLedger<Object>.Answer(
                question: query.words(in: schema), window: query.window(of: objects, id: schema.id.attribute),
                objects: objects, leftOut: ids(of: answer.leftOut))
            state.withLock { $0.ledger.endReading(mirrored, stamp) }
            await mirrorPending()
            return Sourced(objects, mirror: status)
        } catch {
            state.withLock { $0.ledger.endReading(nil, stamp) }
            if case .cancelled = error { throw .cancelled }
            return try await localAnswer(to: query, because: error)
        }
    }

    private func localAnswer(
        to query: Query<RemoteStore>, because remoteError: StoreError
    ) async throws(StoreError) -> Sourced<[Object]> {
        let since = answers.date(of: query.words(in: schema), now: now())
        let objects: [Object]
        do throws(StoreError) {
            objects = try await local.execute(query.asked(of: local))
        } catch {
            throw remoteError
        }
        // A page of only the known objects would leave gaps in a list.
        if since == nil, objects.isEmpty || query.after != nil { throw remoteError }
        return Sourced(objects, source: .local(staleSince: since, because: remoteError), mirror: status)
    }

    private func hasID(_ id: Object.ID) -> Condition<Object> {
        Condition(schema.id.attribute, .equal, id.primitiveValue) ?? .never
    }
}

// MARK: - Writing

extension MirroredStore {
    /// Adds an object, or replaces the one with its id. It can be repeated safely if the answer was lost.
    public func save(_ object: Object) async throws(StoreError) -> Sourced<Object> {
        try await write(object) { (object) async throws(StoreError) in try await remote.upsert(object) }
    }

    /// Adds an object. Throws `StoreError.duplicate(id:)` if an object with the same id exists.
    public func insert(_ object: Object) async throws(StoreError) -> Sourced<Object> {
        try await write(object) { (object) async throws(StoreError) in try await remote.insert(object) }
    }

    /// Replaces an object. Throws `StoreError.missing(id:)` if it does not exist any more.
    public func update(_ object: Object) async throws(StoreError) -> Sourced<Object> {
        try await write(object) { (object) async throws(StoreError) in try await remote.update(object) }
    }

    /// Removes an object, if it exists.
    public func delete(_ object: Object) async throws(StoreError) -> Sourced<Void> {
        try await write(object.id) { () async throws(StoreError) in
            try await remote.delete(object)
            return .gone(object.id)
        }
        return Sourced((), mirror: status)
    }

    /// Mirrors the changes that are not mirrored yet, and returns the state of the local store.
    @discardableResult
    public func repair() async -> MirrorStatus {
        await mirrorPending()
        return status
    }

    private func write(
        _ object: Object, to store: (Object) async throws(StoreError) -> Object
    ) async throws(StoreError) -> Sourced<Object> {
        var stored = object
        try await write(object.id) { () async throws(StoreError) in
            do throws(StoreError) {
                stored = try await store(object)
            } catch {
                // The remote store has done the write.
                guard case let .unreadableAnswer(table, id, column, found) = error else { throw error }
                note([UnreadableObject(table: table, objectID: id, column: column, found: found)], answering: [])
            }
            return .stored(stored)
        }
        return Sourced(stored, mirror: status)
    }

    private func write(
        _ id: Object.ID, _ work: () async throws(StoreError) -> MirrorLedger<Object>.Change
    ) async throws(StoreError) {
        try check(id)
        state.withLock { $0.ledger.beginWriting(id) }
        let change: MirrorLedger<Object>.Change
        do throws(StoreError) {
            change = try await work()
        } catch {
            state.withLock { $0.ledger.endWriting(id, nil) }
            throw error
        }
        state.withLock { $0.ledger.endWriting(id, change) }
        await mirrorPending()
        changeObserver.send(value: ())
    }
}

// MARK: - The local store

extension MirroredStore {
    /// Applies the waiting changes and answers to the local store, until it fails. If another caller does that, waits
    /// for it, and takes over if it is cancelled.
    private func mirrorPending() async {
        while true {
            let (next, isBusy) = state.withLock { ($0.ledger.next(), $0.ledger.isMirroring) }
            guard let job = next else {
                if isBusy, await mayLookAgain() { continue }
                return
            }
            let result: Result<Void, StoreError>
            do throws(StoreError) {
                switch job {
                case let .change(.stored(object)): try await store([object])
                case let .change(.gone(id)): try await local.delete(where: hasID(id))
                case let .answer(answer, later): try await mirror(answer, except: later)
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            let waiting = state.withLock { state in
                state.ledger.end(job, result)
                defer { state.waiting = [] }
                return state.waiting
            }
            var hasFailed = false
            if case let .failure(error) = result { hasFailed = error != .cancelled }
            for waiter in waiting { waiter.resume(returning: !hasFailed) }
            if case .failure = result { return }
        }
    }

    /// Waits for the end of the job under way. Returns false if the local store has failed.
    private func mayLookAgain() async -> Bool {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.ledger.isMirroring { state.waiting.append(continuation) }
                return state.ledger.isMirroring
            }
            if !isWaiting { continuation.resume(returning: true) }
        }
    }

    /// Makes the objects of the local store equal to those of the remote store's answer, except for those about which a
    /// later answer tells.
    private func mirror(
        _ answer: MirrorLedger<Object>.Answer, except later: [MirrorLedger<Object>.Answer]
    ) async throws(StoreError) {
        let ids = Set(answer.objects.map(\.id))
        do throws(StoreError) {
            let known = try await local.execute(local.filter(where: answer.window))
            let isGone = { (object: Object) in !ids.contains(object.id) && !answer.leftOut.contains(object.id) }
            let gone = MirrorLedger.objects(known.filter(isGone), unknownTo: later)
            let objects = MirrorLedger.objects(answer.objects, unknownTo: later)
            if !gone.isEmpty { try await local.delete(gone) }
            if !objects.isEmpty { try await store(objects) }
        } catch {
            // A local object in the range cannot be read.
            guard case .unreadable = error, later.isEmpty else { throw error }
            let isKept = Condition(schema.id.attribute, in: ids.map(\.primitiveValue)) ?? .never
            let isGone = answer.window && !isKept
            do throws(StoreError) {
                // The answer is stored first, so that an interruption loses nothing that can be read.
                if !answer.objects.isEmpty { try await local.upsert(answer.objects) }
            } catch {
                guard case .constraint = error else { throw error }
                // An object that is gone may have a unique value of one in the answer.
                try await local.delete(where: isGone)
                try await store(answer.objects)
            }
            try await local.delete(where: isGone)
        }
        try await answers.note(answer.question, at: now())
    }
}
