import Foundation
import Networking
import Persistence
import Presentation

/// Builds the screen of the quakes, connected to the function that follows its routes.
public struct QuakesBuilder: Sendable {
    private let businessController: any QuakesBusinessControllerProtocol
    private let now: @Sendable () -> Date
    private let calendar: Calendar

    /// - Parameters:
    ///   - now: Returns the current time, which decides the day that is shown first.
    ///   - calendar: The calendar, whose time zone decides when days begin.
    public init(
        businessController: any QuakesBusinessControllerProtocol, now: @escaping @Sendable () -> Date = { Date() },
        calendar: Calendar = .current
    ) {
        self.businessController = businessController
        self.now = now
        self.calendar = calendar
    }

    /// Makes a builder of a screen that fetches feeds from a backend and keeps their quakes in a database.
    public init(accessible: any Accessible, database: QuakeDatabase) {
        self.init(businessController: QuakesBusinessController(accessible: accessible, database: database))
    }

    public func quakes(onRoute: @escaping @Sendable (QuakesViewModel.Route) -> Void) -> LiveScreen {
        let viewModel = QuakesViewModel(businessController: businessController, now: now(), calendar: calendar)
        return LiveScreen(viewModel, QuakesRenderer(), onRoute: onRoute)
    }
}
