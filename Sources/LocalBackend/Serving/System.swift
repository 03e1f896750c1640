import Foundation

// The differences between systems. Foundation brings the C library along.

/// Functions of the C library whose names are hidden by other declarations in the places that call them.
let systemSocket: @Sendable (Int32, Int32, Int32) -> Int32 = socket
let systemAccept: @Sendable (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32 = accept

#if canImport(Darwin)
/// No flag: Darwin has an option of the socket instead.
let withoutSignal: Int32 = 0
#else
/// The flag of `send` for no SIGPIPE if the client has closed the connection.
let withoutSignal = Int32(MSG_NOSIGNAL)
#endif

#if canImport(Glibc)
let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
let streamSocket = Int32(SOCK_STREAM)
#endif

/// Lets this process open as many descriptors as 1,000 connections and their clients need. Some systems start
/// programs with as few as 256, for the sake of old code that calls `select`.
func raiseDescriptorLimit() {
    let wanted = rlim_t(10_240)
    #if canImport(Glibc)
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(files, &limit)
}
