import Feedback
import Persistence

/// A memory store that fails or waits when the test says so, and counts its reads.
final class FailingStore: Store {
    typealias Object = Film

    private struct State {
        var readError: StoreError?
        var writeError: StoreError?
        var reads = 0
        var holdsReads = false
        var holdsWrites = false
        var held: [Int: @Sendable () -> Void] = [:]
        var lastHeld = 0
    }

    let memory = MemoryStore(Film.schema)
    private let state = Locked(State())

    init(_ films: [Film] = []) async throws { try await memory.insert(films) }

    func fail(reading readError: StoreError? = nil, writing writeError: StoreError? = nil) {
        state.withLock { ($0.readError, $0.writeError) = (readError, writeError) }
    }

    /// Fails with everything, as a server does that cannot be reached.
    func vanish() { fail(reading: .gone, writing: .gone) }

    func returnToWork() { fail() }

    /// Lets writes wait until ``release()``.
    func hold() { state.withLock { $0.holdsWrites = true } }

    /// Lets reads wait with their answers until ``release()``.
    func holdReads(_ holds: Bool = true) { state.withLock { $0.holdsReads = holds } }

    func release() {
        let held = state.withLock { state in
            defer { (state.holdsWrites, state.holdsReads, state.held) = (false, false, [:]) }
            return state.held
        }
        for begin in held.values { begin() }
    }

    /// The number of reads and writes that wait.
    var held: Int { state.withLock(\.held.count) }

    var reads: Int { state.withLock(\.reads) }

    var films: [Film] {
        get async throws { try await memory.all().result() }
    }

    // MARK: - Store

    func execute(_ query: Query<FailingStore>) -> SignalProducer<[Film], StoreError> {
        let answer = query.asked(of: memory).result()
        guard state.withLock(\.holdsReads), let found = answer.first() else { return reading(answer) }
        return reading(holding(SignalProducer(result: found), if: \.holdsReads))
    }

    func insert(_ film: Film) -> SignalProducer<Film, StoreError> { writing(memory.insert(film)) }
    func update(_ film: Film) -> SignalProducer<Film, StoreError> { writing(memory.update(film)) }
    func upsert(_ film: Film) -> SignalProducer<Film, StoreError> { writing(memory.upsert(film)) }
    func upsert(_ films: [Film]) -> SignalProducer<[Film], StoreError> { writing(memory.upsert(films)) }
    func delete(_ film: Film) -> SignalProducer<Never, StoreError> { writing(memory.delete(film)) }
    func delete(_ films: [Film]) -> SignalProducer<Never, StoreError> { writing(memory.delete(films)) }

    func delete(where condition: Condition<Film>) -> SignalProducer<Int, StoreError> {
        writing(memory.delete(where: condition))
    }

    private func reading<Value>(_ producer: SignalProducer<Value, StoreError>) -> SignalProducer<Value, StoreError> {
        choosing(producer) { state in
            state.reads += 1
            return state.readError
        }
    }

    private func writing<Value>(_ producer: SignalProducer<Value, StoreError>) -> SignalProducer<Value, StoreError> {
        choosing(holding(producer, if: \.holdsWrites)) { $0.writeError }
    }

    private func holding<Value>(
        _ producer: SignalProducer<Value, StoreError>, if mustHold: @escaping @Sendable (State) -> Bool
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [self] observer, lifetime in
            let begin: @Sendable () -> Void = {
                let disposable = producer.start(observer)
                lifetime.observeEnded { disposable.dispose() }
            }
            let number = state.withLock { state -> Int? in
                guard mustHold(state) else { return nil }
                state.lastHeld += 1
                state.held[state.lastHeld] = begin
                return state.lastHeld
            }
            guard let number else { return begin() }
            lifetime.observeEnded { [self] in state.withLock { _ = $0.held.removeValue(forKey: number) } }
        }
    }

    private func choosing<Value>(
        _ producer: SignalProducer<Value, StoreError>, _ error: @escaping @Sendable (inout State) -> StoreError?
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [self] observer, lifetime in
            if let error = state.withLock({ error(&$0) }) {
                observer.send(error: error)
            } else {
                let disposable = producer.start(observer)
                lifetime.observeEnded { disposable.dispose() }
            }
        }
    }
}

extension StoreError {
    /// The error of a server that cannot be reached.
    static let gone = StoreError.unreachable(reason: "the line is cut")
    static let full = StoreError.full(file: "films.sqlite")
}
