import Feedback
import Presentation

extension LoopTester {
    /// Starts the loop of a view model.
    ///
    /// - Parameters:
    ///   - initial: The first state; by default the view model's own.
    ///   - routes: A log to which the routes of the events are added.
    public convenience init<Model: ViewModel>(
        _ model: Model, initial: State? = nil, routes: RouteLog<Model.Route>? = nil,
        exhaustivity: Exhaustivity = .full,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) where Model.State == State, Model.Event == Event {
        let routing = Feedback<State, Event>.onEvent(name: "route") { event, state in
            if let route = Model.route(event, state) { routes?.add(route) }
        }
        self.init(
            initial: initial ?? model.initial, reduce: Model.reduce, feedbacks: model.feedbacks + [routing],
            exhaustivity: exhaustivity,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
