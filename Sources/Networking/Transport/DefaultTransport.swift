// On Linux, Foundation's `URLSession` ends the whole process if a server closes a connection in the middle of a header.
// It also sends a POST twice if the server closes a reused connection after it has read the request.
#if canImport(CCurl)
/// The transport that a session uses unless told otherwise: libcurl's on Linux, Foundation's on Apple platforms.
public typealias DefaultTransport = CurlTransport
#else
/// The transport that a session uses unless told otherwise: libcurl's on Linux, Foundation's on Apple platforms.
public typealias DefaultTransport = URLSessionTransport
#endif
