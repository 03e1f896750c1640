import Presentation

/// The flow from the list of movies to one movie, to its form, and back.
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
        case let .open(movie): screens.push(builder.detail(of: movie, onRoute: { [weak self] in self?.follow($0) }))
        case .leave: screens.pop()
        }
    }

    private func follow(_ route: MovieDetailViewModel.Route) {
        switch route {
        case let .edit(movie): screens.push(builder.editor(of: movie, onRoute: { [weak screens] _ in screens?.pop() }))
        case .leave: screens.pop()
        }
    }
}
