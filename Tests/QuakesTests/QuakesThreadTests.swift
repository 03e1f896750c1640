import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Networking
import Persistence
import Presentation
import QuakesBackend
import Testing

@testable import Quakes

/// Sending an event must not wait for the database or the parser.
struct QuakesThreadTests {
    @Test("Nothing touches the database before its scheduler has its turn")
    func database() throws {
        let scheduler = TestScheduler()
        let database = try QuakeDatabase(.memory)
        let feed = [Quake.small, .large]
        _ = try #require(database.merge(feed, of: .day, version: nil).single()).get()
        let controller = QuakesBusinessController(
            accessible: BackendSession(environment: .production), database: database, scheduler: scheduler)
        let live = LiveViewModel(
            QuakesViewModel(
                businessController: controller, now: Quake.small.time, calendar: QuakesExpectations.calendar()))
        #expect(live.state.value.reading.isUnderWay)
        scheduler.advance()
        #expect(live.state.value.shown.unsorted == feed)

        live.send(.choose(Quake.small.id))
        live.send(.deleteChosen)
        #expect(live.state.value.shown.unsorted == [.large])
        #expect(try #require(database.fetchQuakes().single()).get().count == 2)
        scheduler.advance()
        #expect(try #require(database.fetchQuakes().single()).get() == [.large])
        #expect(live.state.value.catalog.pendingIDs.isEmpty)
    }

    @Test("A feed is parsed on another thread than the one that sends")
    func parsing() async throws {
        let backend = LocalBackend()
        let feed = QuakeFeedGenerator(count: 200, end: .quakeFixture, malformedShare: 0.5).feed()
        QuakesBackend(saved: feed).serve(on: backend)
        let url = try await backend.start()
        let sender = ThreadLog()
        let parser = ThreadLog()
        let session = BackendSession(environment: QuakesExpectations.environment(at: url)) {
            $0.onSkip = { _ in parser.note() }
        }
        let controller = QuakesBusinessController(accessible: session, database: try QuakeDatabase(.memory))
        let live = LiveViewModel(
            QuakesViewModel(
                businessController: controller, now: .quakeFixture, calendar: QuakesExpectations.calendar()))
        await eventually("the database has been read") { live.state.value.canRefresh }
        let thread = Thread {
            sender.note()
            live.send(.refresh(.month))
            // The thread lives until the feed was parsed, so that no other thread gets its identity.
            while parser.threads.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
        }
        thread.start()
        await eventually("the feed was refreshed") { live.state.value.refreshing.isDone }
        #expect(!parser.threads.isEmpty)
        #expect(parser.threads.isDisjoint(with: sender.threads))
        await backend.stop(within: .zero)
    }
}

/// The threads on which something happened.
private final class ThreadLog: Sendable {
    private let noted = MutableProperty<Set<ObjectIdentifier>>([])

    var threads: Set<ObjectIdentifier> { noted.value }

    func note() {
        let thread = ObjectIdentifier(Thread.current)
        noted.modify { _ = $0.insert(thread) }
    }
}
