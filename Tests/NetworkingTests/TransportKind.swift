import Networking

/// The transports that the transport suite runs on.
///
/// On Linux, Foundation's `URLSession` does not survive some of it: an answer that is cut within its header and chunked
/// answers with trailers end the process, a request that is cancelled while a redirect arrives does so now and then, and a
/// POST over a dead connection is sent twice. Nor does it pause a streamed answer. Those tests run on `survivors` only.
enum TransportKind: CaseIterable, CustomStringConvertible, Sendable {
    #if os(Linux)
    case curl
    #endif
    case urlSession

    /// The transports that behave well whatever the server does.
    static var survivors: [TransportKind] {
        #if os(Linux)
        [.curl]
        #else
        allCases
        #endif
    }

    func make() -> any Transport {
        switch self {
        #if os(Linux)
        case .curl: CurlTransport()
        #endif
        case .urlSession: URLSessionTransport()
        }
    }

    var description: String {
        switch self {
        #if os(Linux)
        case .curl: "CurlTransport"
        #endif
        case .urlSession: "URLSessionTransport"
        }
    }
}
