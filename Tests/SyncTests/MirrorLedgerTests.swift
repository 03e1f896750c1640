import Fixtures
import Persistence
import Testing

@testable import Movies

struct MirrorLedgerTests {
    private var ledger = MirrorLedger()
    private let movie = Movie.fixture()
    private let answer = MirrorLedger.Answer(question: "all", window: .always, movies: [.fixture(title: "Old")])

    @Test("One job is done at a time, changes before answers")
    mutating func order() {
        let ticket = ledger.beginReading()
        ledger.endReading(answer, ticket)
        let job = MirrorLedger.Job.answer(answer)
        #expect(ledger.next() == job)
        #expect(ledger.next() == nil)
        ledger.beginWriting(movie.id)
        ledger.endWriting(movie.id, .stored(movie))
        #expect(ledger.next() == nil)
        ledger.end(job, .success(()))
        #expect(ledger.next() == .change(.stored(movie)))
    }

    @Test("An answer during which somebody wrote is not mirrored, since it may be older")
    mutating func staleAnswer() {
        let ticket = ledger.beginReading()
        ledger.beginWriting(movie.id)
        ledger.endReading(answer, ticket)
        #expect(ledger.next() == nil)
        #expect(ledger.beginReading() == nil)
        ledger.endWriting(movie.id, nil)
        #expect(ledger.next() == nil)
    }

    @Test("A movie to which two wrote at once is forgotten")
    mutating func doubtful() {
        ledger.beginWriting(movie.id)
        ledger.beginWriting(movie.id)
        ledger.endWriting(movie.id, .stored(movie))
        ledger.endWriting(movie.id, .stored(.fixture(title: "Other")))
        #expect(ledger.next() == .change(.gone(movie.id)))
        ledger.end(.change(.gone(movie.id)), .success(()))
        #expect(ledger.next() == nil)
    }

    @Test("Those who write one after the other are believed")
    mutating func sequence() {
        ledger.beginWriting(movie.id)
        ledger.endWriting(movie.id, .stored(movie))
        ledger.beginWriting(movie.id)
        ledger.endWriting(movie.id, .gone(movie.id))
        #expect(ledger.next() == .change(.gone(movie.id)))
    }

    @Test("A change that fails is tried again, unless a later one has taken its place")
    mutating func failure() {
        let job = MirrorLedger.Job.change(.stored(movie))
        ledger.beginWriting(movie.id)
        ledger.endWriting(movie.id, .stored(movie))
        #expect(ledger.next() == job)
        ledger.end(job, .failure(.full))
        #expect(ledger.status == .behind(changes: 1, because: .full))
        #expect(ledger.next() == job)
        ledger.beginWriting(movie.id)
        ledger.endWriting(movie.id, .gone(movie.id))
        ledger.end(job, .success(()))
        #expect(ledger.next() == .change(.gone(movie.id)))
        ledger.end(.change(.gone(movie.id)), .success(()))
        #expect(ledger.status == .complete)
    }
}
