import Networking

/// Performs resources that need one kind of credentials.
protocol ResourceAccess<Auth>: Sendable {
    associatedtype Auth: Authentication

    func perform<Response>(_ resource: BackendResource<Void, Response, Auth>) async throws(CoreError) -> Response
}

struct CredentialedAccess<Auth: CredentialedAuthentication>: ResourceAccess {
    let accessible: any AuthenticatedAccessible

    func perform<Response>(_ resource: BackendResource<Void, Response, Auth>) async throws(CoreError) -> Response {
        try await accessible.access(resource)
    }
}

struct OpenAccess: ResourceAccess {
    let accessible: any Accessible

    func perform<Response>(_ resource: BackendResource<Void, Response, NoAuth>) async throws(CoreError) -> Response {
        try await accessible.access(resource)
    }
}

extension BackendResource {
    /// This resource, answered by the server: neither from a response cache without asking the server, nor with a web
    /// page.
    var fromServer: BackendResource {
        var resource = refusingWebPages
        if resource.headers["Cache-Control"] == nil { resource.headers["Cache-Control"] = "no-cache" }
        return resource
    }
}
