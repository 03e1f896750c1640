import Feedback
import Foundation
import Networking
import Persistence
import Presentation
import Quakes
import QuakesBackend

/// A number of quakes in a running view model, and the same in an array and a bare database. Made on first use.
// Unchecked, since it is used by one benchmark at a time.
final class QuakeWorld: @unchecked Sendable {
    static let ten = QuakeWorld(10)
    static let noon = Date(timeIntervalSince1970: 1_795_262_400)
    static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    struct Contents {
        let live: LiveViewModel<QuakesViewModel>
        let feed: MutableProperty<@Sendable () -> Result<QuakeFeed, CoreError>>
        let array: QuakeArray
        let bare: BareQuakes
        let bytes: Data
        let day: Range<Date>
        let ids: [Quake.ID]
        let quakes: [Quake]
        let numbers: Numbers

        /// Returns ids that have not been used before.
        func nextIds(_ count: Int, isBare: Bool) -> ArraySlice<Quake.ID> {
            let start = numbers.take(isBare ? \.bareId : \.ourId, count)
            return ids[start..<start + count]
        }

        /// Returns all quakes, with one in a hundred changed.
        func nextFeed(isBare: Bool) -> [Quake] {
            let revision = numbers.take(isBare ? \.bareFeed : \.ourFeed, 1) + 1
            var feed = quakes
            for place in stride(from: 0, to: feed.count, by: 100) {
                feed[place].updated += Double(revision)
                feed[place].magnitude += Double(revision % 7) / 10
            }
            return feed
        }
    }

    /// Counts the ids and feeds that have been used.
    final class Numbers: @unchecked Sendable {
        // Guarded by being used by one benchmark at a time.
        var (bareId, ourId, bareFeed, ourFeed) = (0, 0, 0, 0)

        func take(_ number: ReferenceWritableKeyPath<Numbers, Int>, _ count: Int) -> Int {
            defer { self[keyPath: number] += count }
            return self[keyPath: number]
        }
    }

    let count: Int
    lazy var value = makeContents()

    init(_ count: Int) { self.count = count }

    private func makeContents() -> Contents {
        let generator = QuakeFeedGenerator(count: count, end: Self.noon, malformedShare: 0)
        let bytes = generator.feed()
        let parsed: Result<QuakeFeed, CoreError> = Parser.parse(bytes)
        guard case let .success(feed) = parsed, let database = try? QuakeDatabase(.file(TemporaryFiles.newPath()))
        else {
            preconditionFailure("The quakes could not be made.")
        }
        let quakes = feed.quakes.filter { $0.magnitude > 0 }
        let feeds = MadeUpFeeds(feed: MutableProperty({ .success(QuakeFeed(quakes: quakes)) }))
        let live = LiveViewModel(
            QuakesViewModel(
                businessController: QuakesBusinessController(accessible: feeds, database: database), now: Self.noon,
                calendar: Self.calendar))
        live.waits { $0.reading.isDone }
        live.send(.refresh(.month))
        live.waits { $0.total == quakes.count && !$0.refreshing.isUnderWay }
        let bare = BareQuakes(path: TemporaryFiles.newPath())
        bare.upsert(quakes)
        let day = QuakeDay(of: Self.noon, in: Self.calendar).span
        return Contents(
            live: live, feed: feeds.feed, array: QuakeArray(quakes), bare: bare, bytes: bytes, day: day,
            ids: quakes.filter { !day.contains($0.time) }.map(\.id), quakes: quakes, numbers: Numbers())
    }
}

extension LiveViewModel where Model == QuakesViewModel {
    /// Sends an action, and waits until the state shows its result.
    ///
    /// While another thread handles an event, `send` leaves the action to it and returns at once.
    func send(
        _ action: QuakesViewModel.Action, until isDone: @escaping @Sendable (QuakesViewModel.State) -> Bool
    ) async {
        send(action)
        if isDone(state.value) { return }
        for await isDone in state.producer.map(isDone).values where isDone { break }
    }

    /// Sends `count` actions that change nothing, and waits until all of them are handled.
    func leave(_ count: Int) async {
        for _ in 0..<count { send(.leave) }
        await settled()
    }

    /// Blocks the thread until the state passes a condition.
    func waits(_ isSettled: @escaping @Sendable (QuakesViewModel.State) -> Bool) {
        _ = state.producer.map(isSettled).filter { $0 }.first()
    }
}

extension LiveScreen {
    func press(_ title: String) async throws {
        for await _ in changes.values {
            for button in screen.actions where button.title == title && button.isEnabled { return button.action() }
        }
    }
}

/// Answers with a feed at once.
struct MadeUpFeeds: Accessible {
    let feed: MutableProperty<@Sendable () -> Result<QuakeFeed, CoreError>>

    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer { [feed] () -> Result<Response, CoreError> in
            feed.value().flatMap { feed in
                guard let answer = Conditional.changed(feed, nil) as? Response else { return .failure(.cancelled) }
                return .success(answer)
            }
        }
    }
}
