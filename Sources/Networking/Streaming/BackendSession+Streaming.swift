import Foundation

extension BackendSession {
    /// Returns the body of a resource's answer as a sequence of pieces, which come while it arrives. Each iteration sends a
    /// request.
    public func stream<Request, Auth: Authentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request
    ) -> ByteStream {
        ByteStream { body throws(CoreError) in
            try await response(
                to: resource, with: request, as: Auth.self as? any CredentialedAuthentication.Type,
                destination: .stream(body), progress: nil)
        }
    }

    /// Returns the body of a resource's answer as a sequence of pieces, which come while it arrives. Each iteration sends a
    /// request.
    public func stream<Auth: Authentication>(_ resource: BackendResource<Void, Void, Auth>) -> ByteStream {
        stream(resource, with: ())
    }
}
