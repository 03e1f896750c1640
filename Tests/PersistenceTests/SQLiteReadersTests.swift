import CSQLite
import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite("Readers of a SQLite database")
struct SQLiteReadersTests {
    @Test("While nobody writes, eight threads read at once, also on a machine with few processors", .onOwnThread)
    func eightAtOnce() throws {
        let database = try SQLiteDatabase(.memory)
        let (arrived, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = DispatchGroup()
        for _ in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                try? database.read { _ in
                    arrived.signal()
                    mayEnd.wait()
                }
                group.leave()
            }
        }
        let end = DispatchTime.now() + .seconds(60)
        for _ in 0..<8 { #expect(arrived.wait(timeout: end) == .success) }
        for _ in 0..<8 { mayEnd.signal() }
        group.wait()
    }

    /// A pool of connections to one database in memory, and the number of those that it has made.
    private func pool(_ isFailing: MutableProperty<Bool> = MutableProperty(false)) throws -> (
        SQLiteReaders, MutableProperty<Int>
    ) {
        let place = try SQLiteConnection.Location(.memory, patience: .seconds(1))
        let made = MutableProperty(0)
        let readers = SQLiteReaders { () throws(StoreError) in
            if isFailing.value { throw .locked(file: "") }
            made.value += 1
            return try SQLiteConnection(place, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        }
        return (readers, made)
    }

    @Test("Connections that were given back are taken again, the last one first, until they are closed")
    func takenAgain() throws {
        let (readers, made) = try pool()
        let (first, second) = (try readers.take(), try readers.take())
        readers.giveBack(first)
        readers.giveBack(second)
        #expect(try readers.take() === second)
        #expect(try readers.take() === first)
        #expect(made.value == 2)
        readers.giveBack(first)
        readers.close()
        #expect(try readers.take() !== first)
        #expect(made.value == 3)
    }

    @Test("A connection that cannot be opened leaves its place to others", .onOwnThread)
    func failing() throws {
        let isFailing = MutableProperty(true)
        let (readers, made) = try pool(isFailing)
        for _ in 0..<100 { #expect(throws: StoreError.locked(file: "")) { _ = try readers.take() } }
        isFailing.value = false
        let taken = try (0..<8).map { _ in try readers.take() }
        #expect(made.value == 8)
        for connection in taken { readers.giveBack(connection) }
    }

    @Test(
        "No more read at once than the processors allow, and fewer while somebody writes", .onOwnThread,
        arguments: [false, true])
    func limit(isWriting: Bool) throws {
        let (readers, made) = try pool()
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let limit = isWriting ? max(1, processors - 1) : max(8, processors * 2)
        func mostReading() -> Int {
            mostAtOnce(of: limit + 12) { body in
                guard let connection = try? readers.take() else { return }
                body()
                readers.giveBack(connection)
            }
        }
        let most = try isWriting ? readers.whileWriting { mostReading() } : mostReading()
        #expect((1...limit).contains(most))
        #expect(made.value <= limit)
    }

    /// Returns the greatest number of threads that were in the bodies of their reads at once.
    private func mostAtOnce(of threads: Int, _ read: @escaping @Sendable (() -> Void) -> Void) -> Int {
        let counts = Locked((now: 0, most: 0))
        onThreadsBlocking(threads) { _ in
            for _ in 0..<5 {
                read {
                    counts.withLock { counts in
                        counts.now += 1
                        counts.most = max(counts.most, counts.now)
                    }
                    // The others get a chance to read, too.
                    for _ in 0..<200 { sched_yield() }
                    counts.withLock { $0.now -= 1 }
                }
            }
        }
        #expect(counts.withLock { $0.now } == 0)
        return counts.withLock { $0.most }
    }

    @Test(
        "While a database writes, or is made compact, fewer threads read it than there are processors", .onOwnThread,
        arguments: [false, true])
    func limitOfDatabase(isTransaction: Bool) throws {
        let database = try SQLiteDatabase(.memory)
        var most = 0
        func read() { most = mostAtOnce(of: 20) { body in try? database.read { _ in body() } } }
        if isTransaction {
            try database.write { _ in read() }
        } else {
            try database.withWriter { _ in read() }
        }
        #expect((1...max(1, ProcessInfo.processInfo.activeProcessorCount - 1)).contains(most))
    }

    /// Does something when the second statement that selects begins.
    private final class Interruption {
        private(set) var statements = 0
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        func noteStatement(_ text: String) {
            guard text.hasPrefix("SELECT") else { return }
            statements += 1
            if statements == 2 { body() }
        }
    }

    @Test(
        "An answer that several statements read is of one moment, whatever is written between them",
        arguments: [false, true])
    func oneMoment(isPage: Bool) throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let first = Film.fixture(id: 1, score: 1)
        try films.insert([first, .fixture(id: 2, score: 2), .fixture(id: 39_999, score: .nan)]).get()
        // A page has the films with a score from one statement. More ids than a statement may have are parted.
        let changed = isPage ? Film.fixture(id: 2, score: .nan) : .fixture(id: 39_999, score: 7)
        let query =
            isPage
            ? films.sorted(by: \.score).page(after: first, limit: 10)
            : films.filter(where: .in(\.id, Array(2..<40_000)))
        let interruption = Interruption { films.update(changed).start() }
        _ = try films.database.read { connection in
            sqlite3_trace_v2(
                connection.handle, UInt32(SQLITE_TRACE_STMT),
                { _, interruption, _, text in
                    guard let interruption, let text else { return 0 }
                    Unmanaged<Interruption>.fromOpaque(interruption).takeUnretainedValue()
                        .noteStatement(String(cString: text.assumingMemoryBound(to: CChar.self)))
                    return 0
                }, Unmanaged.passUnretained(interruption).toOpaque())
        }
        let answer = try films.answer(query)
        _ = try films.database.read { connection in sqlite3_trace_v2(connection.handle, 0, nil, nil) }
        #expect(answer.map(\.id) == [2, 39_999])
        #expect(answer[0].score == 2 && answer[1].score.isNaN)
        #expect(interruption.statements >= 2)
        #expect(try films.object(withId: changed.id).get()?.score.isNaN == isPage)
    }

    @Test("A transaction in memory may write more than the first region of the log's index lists")
    func largeTransaction() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        // A region lists 4,062 pages of 4,096 bytes each, and the one after it 4,096.
        let large = Film.fixture(id: 1, poster: Data(repeating: 7, count: 40_000_000))
        try films.insert([.fixture(id: 0), large]).get()
        #expect(try films.object(withId: 1).get() == large)
        #expect(try films.database.checkIntegrity() == [])
        #expect(try films.delete(ids: [1]).get() == 1)
        #expect(try films.all().result().get() == [.fixture(id: 0)])
    }
}
