import Foundation

/// The reason why a ``LocalBackend`` could not start.
public enum BackendError: Error, Sendable, Equatable {
    /// Another process listens on this port.
    case portInUse(Int)
    /// The process may not listen on this port.
    case portNotAllowed(Int)
    /// The number is not a port.
    case invalidPort(Int)
    /// The text is not an address of this machine.
    case invalidHost(String)
    /// The backend runs already, at this address.
    case alreadyRunning(URL)
    /// A call of the system failed.
    case system(call: String, reason: String)
}

extension BackendError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .portInUse(let port):
            "Port \(port) is in use by another process; choose another one, or port 0 for any that is free."
        case .portNotAllowed(let port):
            "This process may not listen on port \(port); choose one from 1024 on."
        case .invalidPort(let port): "\(port) is not a port; ports go from 0, for any that is free, to 65535."
        case .invalidHost(let host): "“\(host)” is not an address of this machine, such as 127.0.0.1."
        case .alreadyRunning(let address): "The backend is already running at \(address.absoluteString)."
        case .system(let call, let reason): "The backend could not start, since \(call) failed: \(reason)."
        }
    }

    public var errorDescription: String? { description }
}
