import Persistence
import Testing

@testable import Sync

struct MirrorLedgerTests {
    private var ledger = MirrorLedger<Film>()
    private let film = Film.fixture()
    private let answer = MirrorLedger<Film>.Answer(question: "all", window: .always, objects: [.fixture(title: "Old")])

    @Test("One job is done at a time, changes before answers")
    mutating func order() {
        let ticket = ledger.beginReading()
        ledger.endReading(answer, ticket)
        let job = MirrorLedger<Film>.Job.answer(answer)
        #expect(ledger.next() == job)
        #expect(ledger.next() == nil)
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .stored(film))
        #expect(ledger.next() == nil)
        ledger.end(job, .success(()))
        #expect(ledger.next() == .change(.stored(film)))
    }

    @Test("An answer is not mirrored if a write was under way meanwhile, since it may be older")
    mutating func staleAnswer() {
        let ticket = ledger.beginReading()
        ledger.beginWriting(film.id)
        ledger.endReading(answer, ticket)
        #expect(ledger.next() == nil)
        #expect(ledger.beginReading() == nil)
        ledger.endWriting(film.id, nil)
        #expect(ledger.next() == nil)
    }

    @Test("An answer that arrives after a later one to the same question is not mirrored, since it is older")
    mutating func overtaken() {
        let (first, second) = (ledger.beginReading(), ledger.beginReading())
        let later = MirrorLedger<Film>.Answer(question: "all", window: .always, objects: [])
        ledger.endReading(later, second)
        #expect(ledger.next() == .answer(later))
        ledger.end(.answer(later), .success(()))
        ledger.endReading(answer, first)
        #expect(ledger.next() == nil)
        ledger.endReading(answer, ledger.beginReading())
        #expect(ledger.next() == .answer(answer))
    }

    @Test("An answer that arrives after a later one about one of its films is mirrored without that film")
    mutating func partlyOvertaken() {
        let (first, second) = (ledger.beginReading(), ledger.beginReading())
        let later = MirrorLedger<Film>.Answer(question: "one", window: \.id == film.id, objects: [film])
        ledger.endReading(later, second)
        #expect(ledger.next() == .answer(later))
        ledger.end(.answer(later), .success(()))
        ledger.endReading(answer, first)
        #expect(ledger.next() == .answer(answer, later: [later]))
    }

    @Test("While a read is under way, the last answer to each other question is kept")
    mutating func hangingRead() {
        let first = ledger.beginReading()
        for number in 1...100 {
            let later = MirrorLedger<Film>.Answer(
                question: "one", window: \.id == film.id, objects: [.fixture(title: "\(number)")])
            ledger.endReading(later, ledger.beginReading())
            #expect(ledger.next() == .answer(later))
            ledger.end(.answer(later), .success(()))
        }
        ledger.endReading(answer, first)
        guard case let .answer(answer, later) = ledger.next() else {
            Issue.record("The answer should be mirrored.")
            return
        }
        #expect(answer == self.answer)
        #expect(later.map(\.objects) == [[.fixture(title: "100")]])
    }

    @Test("An answer that arrives after a later one about other films is mirrored")
    mutating func otherFilms() {
        let (first, second) = (ledger.beginReading(), ledger.beginReading())
        let films = [Film.fixture(), .fixture(id: .fixture(2), rating: .G)]
        let answers = films.map { film in
            MirrorLedger<Film>.Answer(question: "\(film.rating)", window: \.rating == film.rating, objects: [film])
        }
        ledger.endReading(answers[1], second)
        #expect(ledger.next() == .answer(answers[1]))
        ledger.end(.answer(answers[1]), .success(()))
        ledger.endReading(answers[0], first)
        #expect(ledger.next() == .answer(answers[0], later: [answers[1]]))
    }

    @Test("A film may be in the range of a later answer whose condition cannot be checked")
    func uncheckedRange() {
        var condition: Condition<Film> = \.id == film.id
        for _ in 0...Condition<Film>.maximumDepth { condition = !condition }
        let later = MirrorLedger<Film>.Answer(question: "deep", window: condition, objects: [])
        #expect(MirrorLedger.objects([film], unknownTo: [later]).isEmpty)
        let other = MirrorLedger<Film>.Answer(question: "other", window: \.title == "Other", objects: [])
        #expect(MirrorLedger.objects([film], unknownTo: [other]) == [film])
    }

    @Test("A film to which two wrote at once is removed from the mirror")
    mutating func doubtful() {
        ledger.beginWriting(film.id)
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .stored(film))
        ledger.endWriting(film.id, .stored(.fixture(title: "Other")))
        #expect(ledger.next() == .change(.gone(film.id)))
        ledger.end(.change(.gone(film.id)), .success(()))
        #expect(ledger.next() == nil)
    }

    @Test("The last of several successive writes is mirrored")
    mutating func sequence() {
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .stored(film))
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .gone(film.id))
        #expect(ledger.next() == .change(.gone(film.id)))
    }

    @Test("A job that was cancelled with its caller says nothing about the local store, and drops no other answers")
    mutating func cancelled() {
        let other = MirrorLedger<Film>.Answer(question: "other", window: .always, objects: [])
        ledger.endReading(answer, ledger.beginReading())
        ledger.endReading(other, ledger.beginReading())
        #expect(ledger.next() == .answer(answer))
        ledger.end(.answer(answer), .failure(.cancelled))
        #expect(ledger.status == .complete)
        #expect(ledger.next() == .answer(other))
    }

    @Test("A change is mirrored once, also if its film does not equal itself, since a number of it is NaN")
    mutating func unequal() {
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .stored(.fixture(score: .nan)))
        guard let job = ledger.next() else {
            Issue.record("The change should be mirrored.")
            return
        }
        ledger.end(job, .success(()))
        #expect(ledger.next() == nil)
    }

    @Test("A later change is mirrored, also if its object counts as equal to the one before")
    func equal() {
        struct Tag: Identifiable, Equatable {
            let id: Int
            let name: String

            static func == (one: Tag, other: Tag) -> Bool { one.id == other.id }
        }
        var ledger = MirrorLedger<Tag>()
        ledger.beginWriting(1)
        ledger.endWriting(1, .stored(Tag(id: 1, name: "old")))
        guard let job = ledger.next() else {
            Issue.record("The change should be mirrored.")
            return
        }
        ledger.beginWriting(1)
        ledger.endWriting(1, .stored(Tag(id: 1, name: "new")))
        ledger.end(job, .success(()))
        guard case let .change(.stored(tag)) = ledger.next() else {
            Issue.record("The later change should be mirrored.")
            return
        }
        #expect(tag.name == "new")
    }

    @Test("A change that could not be mirrored is tried again, unless a later one has replaced it")
    mutating func failure() {
        let job = MirrorLedger<Film>.Job.change(.stored(film))
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .stored(film))
        #expect(ledger.next() == job)
        ledger.end(job, .failure(.full))
        #expect(ledger.status == .behind(changes: 1, because: .full))
        #expect(ledger.next() == job)
        ledger.beginWriting(film.id)
        ledger.endWriting(film.id, .gone(film.id))
        ledger.end(job, .success(()))
        #expect(ledger.next() == .change(.gone(film.id)))
        ledger.end(.change(.gone(film.id)), .success(()))
        #expect(ledger.status == .complete)
    }
}
