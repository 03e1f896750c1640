import Presentation

/// Leads from the list of movies to the form of one, and back.
public final class MoviesFlowController: FlowController {
    public let screens: ScreenStack
    private let builder: MoviesBuilder

    public init(_ builder: MoviesBuilder, on screens: ScreenStack = ScreenStack()) {
        self.builder = builder
        self.screens = screens
    }

    public func start() {
        screens.push(builder.movies(onRoute: { [weak self] in self?.follow($0) }))
    }

    private func follow(_ route: MoviesViewModel.Route) {
        switch route {
        case .add: screens.push(builder.addition(onRoute: { [weak screens] _ in screens?.pop() }))
        case let .edit(movie): screens.push(builder.editor(of: movie, onRoute: { [weak screens] _ in screens?.pop() }))
        case .leave: screens.pop()
        }
    }
}
