import Feedback
import Foundation

extension Transport {
    /// Sends equal GET requests that are under way at the same time only once; each caller gets the answer.
    ///
    /// Requests are equal if URL, header fields, credentials, memory limit and timeouts are the same. The request is
    /// cancelled when its last caller is cancelled. A request that is sent after a write has ended does not join an
    /// earlier one, whose answer may be from before the write. Downloads to a file and requests with a progress observer are
    /// always sent on their own.
    public func sharing() -> some Transport { SharingTransport(transport: self) }
}

private final class SharingTransport<Wrapped: Transport>: Transport {
    private struct Key: Hashable {
        let address: ResourceAddress
        let headers: HTTPHeaders
        let credentials: Credentials?
        let destination: TransportRequest.Destination
        let timeouts: [Duration?]
        /// The number of writes that had ended before.
        let writes: Int
    }

    let transport: Wrapped
    private let sharedWork = SharedWork<Key, TransportResponse>(cancelsAbandonedWork: true)
    private let writes = Locked(0)

    init(transport: Wrapped) {
        self.transport = transport
    }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        guard [.GET, .HEAD, .OPTIONS].contains(request.method) else {
            defer { writes.withLock { $0 += 1 } }
            return try await transport.send(request)
        }
        guard request.method == .GET, request.progress == nil, case .memory = request.destination else {
            return try await transport.send(request)
        }
        let key = Key(
            address: ResourceAddress(request.url), headers: request.headers, credentials: request.credentials?.0,
            destination: request.destination,
            timeouts: [request.timeout, request.connectTimeout, request.totalTimeout],
            writes: writes.withLock { $0 })
        return try await sharedWork.value(for: key) { [transport] () async throws(CoreError) in
            try await transport.send(request)
        }
    }
}
