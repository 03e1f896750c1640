import Feedback
import Foundation
import Persistence
import Presentation
import Sync

/// The quakes of a day, as a list and on a map.
public struct QuakesViewModel: ViewModel {
    public enum Action: Equatable, Sendable {
        /// Reads the database again after a failure.
        case read
        case refresh(QuakePeriod)
        case search(String)
        case showPreviousDay
        case showNextDay
        case sort(QuakeSelection.Key, QuakeSelection.Order)
        case choose(Quake.ID)
        case deleteChosen
        case deleteAll
        /// Repeats the deletion that failed.
        case deleteAgain
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didRead(QuakeCatalog)
        case didFailToRead(DataError)
        case didRefresh(QuakeRefresh)
        case didFailToRefresh(DataError)
        case didDelete(QuakeDeletion)
        case didFailToDelete(QuakeDeletion, DataError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    private let businessController: any QuakesBusinessControllerProtocol
    private let day: QuakeDay

    /// - Parameters:
    ///   - now: A moment of the day that is shown first.
    ///   - calendar: The calendar, whose time zone decides when days begin.
    public init(businessController: any QuakesBusinessControllerProtocol, now: Date, calendar: Calendar) {
        self.businessController = businessController
        day = QuakeDay(of: now, in: calendar)
    }

    public var initial: State { State(day: day) }

    public static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }
}

// MARK: - Reducer

extension QuakesViewModel {
    /// Only the cases that change the quakes or the selection find the selected quakes again. The cost of all other
    /// events does not depend on the number of quakes.
    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(action): reduce(&state, action)
        case let .didRead(catalog):
            state.reading = .done
            state.catalog.setTruth(catalog)
            state.select()
        case let .didFailToRead(error):
            state.reading.fail(error)
        case let .didRefresh(refresh):
            state.refreshing = .done
            if let leftOut = refresh.leftOut { state.leftOut = leftOut }
            guard !refresh.changes.isEmpty else { return }
            state.catalog.updateTruth { $0.apply(refresh.changes) }
            state.select()
        case let .didFailToRefresh(error):
            state.refreshing.fail(error)
        case let .didDelete(deletion):
            state.catalog.confirm(deletion)
        case let .didFailToDelete(deletion, error):
            guard state.catalog.rollBack(deletion) else { return }
            state.failedDeletion = .init(deletion: deletion, error: error)
            state.select()
        }
    }

    private static func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .read:
            if !state.reading.isDone { state.reading.start() }
        case let .refresh(period):
            guard state.canRefresh else { return }
            state.period = period
            state.failedDeletion = nil
            state.refreshing.start()
        case let .search(text):
            state.change { $0.searchText = text }
        case .showPreviousDay:
            state.change { $0.day = $0.day.previous }
        case .showNextDay:
            state.change { $0.day = $0.day.next }
        case let .sort(key, order):
            guard (key, order) != (state.selection.key, state.selection.order) else { return }
            (state.selection.key, state.selection.order) = (key, order)
            state.shown.sort(by: state.selection)
        case let .choose(id):
            state.chosenId = state.chosenId == id ? nil : id
        case .deleteChosen:
            if let id = state.chosenId { state.delete(.quake(id)) }
        case .deleteAll:
            state.delete(.all)
        case .deleteAgain:
            if let failed = state.failedDeletion { state.delete(failed.deletion) }
        case .leave:
            break
        }
    }
}

// MARK: - Feedbacks

extension QuakesViewModel {
    public var feedbacks: [Feedback<State, Event>] {
        [
            Self.whenReading(businessController), Self.whenRefreshing(businessController),
            Self.whenDeleting(businessController),
        ]
    }

    private static func whenReading(
        _ businessController: any QuakesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.reading.isUnderWay) { _ in
            businessController.fetchQuakes()
                .map(Event.didRead)
                .replaceError(Event.didFailToRead)
        }
    }

    private static func whenRefreshing(
        _ businessController: any QuakesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.refreshing.isUnderWay) { state in
            businessController.refreshQuakes(state.period)
                .map(Event.didRefresh)
                .replaceError(Event.didFailToRefresh)
        }
    }

    /// Starts each deletion when it is made, and lets it go on after the screen was left.
    private static func whenDeleting(
        _ businessController: any QuakesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(eachNew: \.catalog.pendingIDs) { deletion in
            delete(deletion, by: businessController)
                .continuingAfterDisposal()
                .then(value: Event.didDelete(deletion))
                .replaceError { Event.didFailToDelete(deletion, $0) }
        }
    }

    private static func delete(
        _ deletion: QuakeDeletion, by businessController: any QuakesBusinessControllerProtocol
    ) -> SignalProducer<Never, DataError> {
        switch deletion {
        case let .quake(id): businessController.deleteQuake(id)
        case .all: businessController.deleteAllQuakes()
        }
    }
}
