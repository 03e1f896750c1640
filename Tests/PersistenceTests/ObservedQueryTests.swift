import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

/// Films that an observed query asks for, in place of a store.
private final class AskedFilms: Sendable {
    private let titles: Locked<[Int: String]>
    private let requests = Locked(0)
    private let error = Locked<StoreError?>(nil)
    private let whileAsked = Locked<(@Sendable () -> Void)?>(nil)

    init(_ titles: [Int: String]) { self.titles = Locked(titles) }

    var requestCount: Int { requests.withLock { $0 } }

    func store(_ titles: [Int: String]) { self.titles.withLock { $0 = titles } }

    func fail(with error: StoreError?) { self.error.withLock { $0 = error } }

    /// Calls `body` the next time that the films are asked for.
    func whileAsked(_ body: @escaping @Sendable () -> Void) { whileAsked.withLock { $0 = body } }

    func query(limit: Int? = nil, isEditable: Bool = true) throws -> ObservedQuery {
        var question = Question<Film>()
        question.limit = limit
        let ask: @Sendable () throws(StoreError) -> [Film]? = { [self] () throws(StoreError) in
            requests.withLock { $0 += 1 }
            whileAsked.withLock { $0.take() }?()
            if let error = error.withLock({ $0 }) { throw error }
            let films = titles.withLock { $0 }.map { Film.fixture(id: $0.key, title: $0.value) }
            return Array(films.sorted { $0.id < $1.id }.prefix(limit ?? .max))
        }
        if !isEditable { return try ObservedQuery(question, table: "films", id: .id, areSame: ==, ask: ask) }
        return try ObservedQuery(question, table: "films", id: .id, areSame: ==, isEditable: true, ask: ask)
    }
}

extension ObservedQuery {
    /// Observes the query; returns the titles that are told.
    fileprivate func observe() -> Emissions<[String]> {
        let told = Emissions<[String]>()
        let observation = Observation { result in
            guard case .success(let answer) = result, let films = answer as? ObservedObjects<Film> else {
                return
            }
            told.append(films.all.map(\.title))
        }
        add(observation)
        observation.start(of: self)
        return told
    }

    /// Records a transaction of which all changes are known.
    fileprivate func commit(touching touched: [Film], leaving present: [Film]) {
        willCommit()
        apply(TableEdit(touched: ObservedObjects(touched), present: ObservedObjects(present)))
    }
}

@Suite("The requests of an observed query", .onOwnThread)
struct ObservedQueryTests {
    private let films = AskedFilms([1: "old"])
    private let changed = [Film.fixture(id: 1, title: "own")]

    enum Change { case own, unknown, byOthers }

    @Test(
        "If not all changes since the last answer are known, the store is asked",
        arguments: [[.own, .unknown], [.unknown, .own], [.own, .byOthers], [.byOthers, .own]] as [[Change]])
    func unknownChanges(_ changes: [Change]) throws {
        let query = try films.query()
        let told = query.observe()
        for change in changes {
            switch change {
            case .own: query.commit(touching: changed, leaving: changed)
            case .unknown: query.invalidate()
            case .byOthers: query.noteOtherWriters()
            }
        }
        films.store([1: "new"])
        query.tell()
        #expect(told.all == [["old"], ["new"]])
        #expect(films.requestCount == 2)
    }

    @Test(
        "A change is made to an answer only if the store reports all of its changes", arguments: [false, true])
    func editable(_ isEditable: Bool) throws {
        let query = try films.query(isEditable: isEditable)
        let told = query.observe()
        films.store([1: "asked"])
        query.commit(touching: changed, leaving: changed)
        query.tell()
        #expect(told.all == [["old"], [isEditable ? "own" : "asked"]])
        #expect(films.requestCount == (isEditable ? 1 : 2))
    }

    @Test(
        "An observer that comes while the store is asked again is not told the old answer, also not after an error",
        arguments: [false, true])
    func newcomers(_ isAfterError: Bool) throws {
        let query = try films.query()
        let told = query.observe()
        func change() {
            query.invalidate()
            query.tell()
        }
        if isAfterError {
            films.fail(with: .cancelled)
            change()
            films.fail(with: nil)
        }
        films.store([1: "new"])
        let toldNewcomer = Locked<Emissions<[String]>?>(nil)
        films.whileAsked {
            let told = query.observe()
            toldNewcomer.withLock { $0 = told }
        }
        change()
        #expect(toldNewcomer.withLock { $0 }?.all == [["new"]])
        #expect(told.all == [["old"], ["new"]])
    }

    @Test("After an error, the next observer is told a new answer")
    func afterError() throws {
        let query = try films.query()
        let told = query.observe()
        films.fail(with: .cancelled)
        query.invalidate()
        query.tell()
        films.fail(with: nil)
        films.store([1: "new"])
        #expect(query.observe().all == [["new"]])
        #expect(told.all == [["old"]])
    }

    @Test("An answer that two threads have asked for at once is told once")
    func askedAtOnce() throws {
        let query = try films.query()
        let told = query.observe()
        films.store([1: "new"])
        let toldNewcomer = Locked<Emissions<[String]>?>(nil)
        func begin(_ work: @escaping @Sendable () -> Void) -> (mayEnd: DispatchSemaphore, hasEnded: DispatchSemaphore) {
            let (isAsked, mayEnd, hasEnded) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            films.whileAsked {
                isAsked.signal()
                mayEnd.wait()
            }
            Thread.detachNewThread {
                work()
                hasEnded.signal()
            }
            isAsked.wait()
            return (mayEnd, hasEnded)
        }
        let first = begin {
            query.invalidate()
            query.tell()
        }
        let second = begin {
            let told = query.observe()
            toldNewcomer.withLock { $0 = told }
        }
        for thread in [first, second] {
            thread.mayEnd.signal()
            thread.hasEnded.wait()
        }
        query.invalidate()
        query.tell()
        #expect(told.all == [["old"], ["new"]])
        #expect(toldNewcomer.withLock { $0 }?.all == [["new"]])
    }

    @Test(
        "The changes of a transaction are not made to an answer that was asked for while it was committed, and may have them",
        arguments: [false, true])
    func askedDuringCommit(_ isAskedBefore: Bool) throws {
        let query = try films.query()
        let told = query.observe()
        films.store([1: "new"])
        query.invalidate()
        if isAskedBefore { films.whileAsked { query.willCommit() } } else { query.willCommit() }
        query.tell()
        query.apply(TableEdit(touched: ObservedObjects(changed), present: ObservedObjects(changed)))
        query.tell()
        #expect(told.all == [["old"], ["new"]])
        #expect(films.requestCount == 3)
    }

    @Test("For an observer that ends while it is told, the store is not asked about the changes meanwhile")
    func endedInside() throws {
        let query = try films.query()
        let own = Locked<Observation?>(nil)
        let told = Emissions<Bool>()
        let observation = Observation { _ in
            told.append(true)
            query.invalidate()
            query.tell()
            own.withLock { $0 }?.end()
        }
        own.withLock { $0 = observation }
        query.add(observation)
        observation.start(of: query)
        #expect(told.all.count == 1 && films.requestCount == 1)
        own.withLock { $0 = nil }
    }

    // MARK: - Changing an answer

    @Test("New objects for one place of an answer come in their order, and each once")
    func samePlace() throws {
        films.store([0: "0", 9: "9"])
        let query = try films.query()
        let told = query.observe()
        let read = [5, 3, 7, 5, 4, 3].map { Film.fixture(id: $0, title: "\($0)") }
        query.commit(touching: read, leaving: read)
        query.tell()
        #expect(told.all == [["0", "9"], ["0", "3", "4", "5", "7", "9"]])
        #expect(films.requestCount == 1)
    }

    @Test(
        "An object that comes before the last one of a full page joins it, and the last one leaves",
        arguments: [([0], [-1, 3], [-1]), ([0, 2], [-1, 3], [-1, 0]), ([0, 2], [1], [0, 1])] as [([Int], [Int], [Int])])
    func fullPage(stored: [Int], new: [Int], expected: [Int]) throws {
        films.store(Dictionary(uniqueKeysWithValues: stored.map { ($0, "\($0)") }))
        let query = try films.query(limit: stored.count)
        let told = query.observe()
        let read = new.map { Film.fixture(id: $0, title: "\($0)") }
        query.commit(touching: read, leaving: read)
        query.tell()
        #expect(told.all.map { $0.compactMap { Int($0) } } == [stored, expected])
        #expect(films.requestCount == 1)
    }

    // MARK: - Objects that concern a query

    @Test("Only objects up to the last one of a full page concern it, and none concerns a page without objects")
    func concerned() throws {
        films.store([1: "1", 3: "3"])
        func isConcerned(_ query: ObservedQuery, by id: Int) -> Bool {
            query.isConcerned(by: [Film.fixture(id: id, title: "other")])
        }
        let full = try films.query(limit: 2)
        _ = full.observe()
        #expect((0...5).filter { isConcerned(full, by: $0) } == [0, 1, 2, 3])
        let larger = try films.query(limit: 3)
        _ = larger.observe()
        #expect(isConcerned(larger, by: 5))
        let empty = try films.query(limit: 0)
        _ = empty.observe()
        #expect(!isConcerned(empty, by: 0))
    }

    @Test("Any object of another model in the same table concerns a query")
    func otherModel() throws {
        let query = try films.query()
        _ = query.observe()
        #expect(query.isConcerned(by: [Note(id: "1", text: "")]))
    }
}
