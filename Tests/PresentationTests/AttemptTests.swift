import Presentation
import Testing

struct AttemptTests {
    private enum Failure: Error, Equatable { case offline }
    private typealias Row = Screen<String>.Row

    @Test("Counts the attempts that fail in a row, and starts again at one after a success")
    func counting() {
        var attempt = Attempt<Failure>.idle
        attempt.start()
        #expect(attempt == .underWay(number: 1))
        attempt.start()
        #expect(attempt == .underWay(number: 1), "a second start does nothing")
        attempt.fail(.offline)
        #expect(attempt == .failed(.offline, number: 1) && attempt.failure == .offline)
        attempt.start()
        #expect(attempt == .underWay(number: 2) && attempt.isUnderWay)
        attempt = .done
        attempt.fail(.offline)
        #expect(attempt.isDone, "a failure that comes late changes nothing")
        attempt.start()
        #expect(attempt == .underWay())
    }

    @Test("An error that belongs to no attempt changes nothing")
    func unexpectedFailure() {
        for before: Attempt<Failure> in [.idle, .done, .failed(.offline, number: 2)] {
            var attempt = before
            attempt.fail(.offline)
            #expect(attempt == before)
        }
    }

    @Test("Shows progress while under way, and an error with a button to try again")
    func rows() {
        let rows = { (attempt: Attempt<Failure>) -> [Row] in attempt.rows("Loading", retry: "retry") }
        #expect(rows(.idle) == [] && rows(.done) == [])
        #expect(rows(.underWay(number: 2)) == [.progress("Loading", attempt: 2)])
        #expect(
            rows(.failed(.offline, number: 1)) == [.notice(.error, "offline", button: .tryAgain("retry"))])
    }

    @Test("Progress says which attempt it is from the second one on")
    func progress() {
        let labels = (1...3).map { Screen<String>.Progress("Loading", attempt: $0).label }
        #expect(labels == ["Loading", "Loading, attempt 2", "Loading, attempt 3"])
    }

    @Test("The number of attempts has a limit")
    func limit() {
        var attempt = Attempt<Failure>.failed(.offline, number: .max)
        attempt.start()
        #expect(attempt == .underWay(number: .max))
    }
}
