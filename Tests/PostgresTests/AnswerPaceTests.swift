import Testing

@testable import Postgres

@Suite("Waiting for the next answer of PostgreSQL")
struct AnswerPaceTests {
    private var pace = AnswerPace()

    @Test("A thread looks for each answer, until one does not come while it looks; then not for fifteen")
    mutating func looks() {
        for _ in 1...3 { expect(pace.looks(isAlone: true), true) }
        pace.miss()
        for _ in 1...15 { expect(pace.looks(isAlone: true), false) }
        expect(pace.looks(isAlone: true), true)
    }

    @Test("While others wait for answers, a thread does not look for its own")
    mutating func others() {
        expect(pace.looks(isAlone: false), false)
        expect(pace.looks(isAlone: true), true)
    }

    @Test("Answers come soon as long as the last one has come within a millisecond")
    mutating func soon() {
        #expect(pace.isSoon)
        pace.note(.milliseconds(1))
        #expect(!pace.isSoon)
        pace.note(.microseconds(999))
        #expect(pace.isSoon)
    }
}
