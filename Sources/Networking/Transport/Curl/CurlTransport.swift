#if canImport(CCurl)
import Feedback
import Foundation

/// A transport that uses libcurl; the default on Linux.
///
/// Connections are kept open and reused, and shared if the server speaks HTTP/2. It trusts the certificates that the
/// system trusts, and takes proxies from the environment (`https_proxy`, `no_proxy`, …), except for servers on this machine,
/// such as `localhost` and `127.0.0.1`. It has no cookies and no cache. It returns a redirect as the answer;
/// ``BackendSession`` follows redirects with a ``RedirectPolicy``.
///
/// A request that is not idempotent is sent at most once: if a reused connection turns out to be dead after such a
/// request was written to it, the request fails with ``NetworkFailure/Reason/connectionLost``. An idle connection over which
/// the server has sent something, such as an answer with status 408, is not used again. Only `http` and `https` URLs are
/// accepted. The field `Expect` is not sent.
///
/// A header field's value that is not UTF-8 is read as Latin-1.
///
/// It asks for bodies that are packed with gzip. One that has no end is a ``NetworkFailure/Reason/connectionLost``, also if
/// the connection was closed in good order. A server may pack bodies in another way without being asked to: they are
/// unpacked if libcurl can, but a part of one is not told from all of it.
///
/// A server may answer before it has taken all of a body. A refusal, with a status from 300 on, ends the request at once.
/// After another answer the rest of the body is sent. Over HTTP/2, a server that then takes no more of it, or resets the
/// request, makes it fail with ``NetworkFailure/Reason/connectionLost`` or ``NetworkFailure/Reason/timedOut``; while a
/// stream has nothing to send, that is noticed only at the `totalTimeout`.
public final class CurlTransport: Transport {
    /// Settings of a transport.
    public struct Configuration: Sendable {
        /// The greatest number of requests to one server at a time over HTTP/1.1, and that of streamed answers beside them.
        /// Others wait for their turn.
        public var connectionsPerHost = 6
        /// The greatest number of requests that share one connection over HTTP/2.
        public var streamsPerConnection = 100
        /// The greatest number of idle connections that are kept open, for all servers together.
        public var idleConnections = 64
        /// A file of certificates (PEM) to trust in place of the system's.
        public var trustedCertificates: URL?
    }

    private let engine: CurlEngine

    /// - Parameter configure: Changes the configuration, for example the connections per host.
    public init(configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration()
        configure(&configuration)
        engine = CurlEngine(configuration)
    }

    /// The engine's thread ends when it has ended the transfers that were cancelled.
    deinit { engine.finish() }

    /// Sends a request. Cancelling the task ends the transfer.
    ///
    /// If no other request is in progress and servers have answered soon, the task keeps its thread for up to 100 µs while it
    /// waits.
    public func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let transfer = try CurlTransfer(request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if transfer.begin(continuation) { engine.post(.start(transfer)) }
            }
        } onCancel: {
            if transfer.cancel() { engine.post(.cancel(transfer)) }
        }
        let answer = try result.get()
        return try TransportResponse(
            status: answer.status, headers: answer.fields, body: answer.body, url: request.url)
    }
}
#endif
