import Presentation
import Testing

@Suite("Something that is confirmed before it is attempted")
struct ConfirmedTests {
    private struct Failure: Error, Equatable {}

    private var deletion = Confirmed<Failure>()

    @Test("Begins only after a question")
    mutating func asking() {
        deletion.confirm()
        #expect(deletion.attempt == .idle)
        deletion.ask()
        #expect(deletion.isAsking)
        deletion.confirm()
        #expect(!deletion.isAsking)
        #expect(deletion.attempt == .underWay())
    }

    @Test("Is neither asked for nor confirmed again while it is under way, and after it has succeeded")
    mutating func once() {
        for attempt in [Attempt<Failure>.underWay(), .done] {
            deletion.attempt = attempt
            deletion.ask()
            deletion.confirm()
            #expect(!deletion.isAsking)
            #expect(deletion.attempt == attempt)
        }
    }

    @Test("Is tried again after a failure without another question")
    mutating func retry() {
        deletion.attempt = .failed(Failure(), number: 1)
        deletion.confirm()
        #expect(deletion.attempt == .underWay(number: 2))
    }

    @Test("Declined, it is as at the beginning, also after a failure")
    mutating func declining() {
        deletion.attempt = .failed(Failure(), number: 1)
        deletion.decline()
        #expect(deletion.attempt == .failed(Failure(), number: 1))
        deletion.ask()
        deletion.decline()
        #expect(deletion == Confirmed())
    }
}
