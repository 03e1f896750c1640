import Feedback
import Networking

/// The requests of the feature's screens.
public protocol ThingsBusinessControllerProtocol: Sendable {
    func fetchThings() -> SignalProducer<ThingsResponse, CoreError>
}

public struct ThingsBusinessController: ThingsBusinessControllerProtocol {
    private let accessible: any AuthenticatedAccessible

    public init(accessible: any AuthenticatedAccessible) {
        self.accessible = accessible
    }

    public func fetchThings() -> SignalProducer<ThingsResponse, CoreError> {
        accessible.access(ThingsService.fetchThings())
    }
}
