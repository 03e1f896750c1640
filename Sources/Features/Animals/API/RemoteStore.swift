import Feedback
import Networking

/// Keeps categories and animals on a server, which is the source of truth.
public struct RemoteStore: AnimalsStore {
    private let accessible: any Accessible

    public init(accessible: any Accessible) {
        self.accessible = accessible
    }

    public func answer(_ request: RemoteRequest) -> SignalProducer<RemoteResponse, AnimalsError> {
        accessible.access(AnimalsService.requestAnswer(), with: request).mapError(AnimalsError.init)
    }
}
