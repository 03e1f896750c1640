// On Linux, Foundation's `URLSession` ends the whole process when a server closes a connection in the middle of a header,
// and sends a POST twice when a connection that was kept open is closed after the request was read.
#if canImport(CCurl)
/// The transport that a session uses unless told otherwise: libcurl's on Linux, Foundation's on Apple platforms.
public typealias DefaultTransport = CurlTransport
#else
/// The transport that a session uses unless told otherwise: libcurl's on Linux, Foundation's on Apple platforms.
public typealias DefaultTransport = URLSessionTransport
#endif
