/// The source of a session's credentials: a keychain, a login, a configuration.
///
/// ```swift
/// struct TokenStore: CredentialProvider {
///     func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
///         .bearer(try keychain.token(for: auth.name), user: keychain.user)
///     }
///     func refreshedCredentials(
///         for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
///     ) async throws -> Credentials {
///         .bearer(try await renewToken(), user: rejected.user)
///     }
/// }
/// ```
public protocol CredentialProvider: Sendable {
    /// Returns the credentials to send now. It is called before each request, so it should return quickly.
    ///
    /// If it throws, the request fails with ``AuthenticationFailure/missingCredentials(kind:reason:)``, or with
    /// ``AuthenticationFailure/unreachable(kind:_:)`` if it throws a ``CoreError/network(_:)``, or a `URLError` of the network.
    ///
    /// If the refused credentials name their user, it is also called before a refresh. If it then returns other ones, the
    /// request is sent again with them, without a refresh.
    func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials

    /// Returns new credentials after the server has answered 401 to the old ones.
    ///
    /// Called once, however many requests were refused with the same credentials. If these name their user, the new ones
    /// must name the same one, and this is called only while ``credentials(for:)`` returns the old ones. If it throws, those
    /// requests all fail with ``AuthenticationFailure/refreshFailed(kind:reason:)``, or with
    /// ``AuthenticationFailure/unreachable(kind:_:)`` if it throws a ``CoreError/network(_:)``, or a `URLError` of the network.
    ///
    /// The user may sign out, and another one sign in, before it ends: store the new credentials only if the old ones are
    /// still those in use.
    func refreshedCredentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
    ) async throws -> Credentials
}

/// Credentials that stay the same, such as the key of an application.
public struct FixedCredentials: CredentialProvider {
    private let credentials: @Sendable (any CredentialedAuthentication.Type) -> Credentials?

    /// Makes a provider of the same credentials for every kind of authentication.
    public init(_ credentials: Credentials) {
        self.credentials = { _ in credentials }
    }

    /// Makes a provider of different credentials for each kind of authentication; the function returns `nil` if there
    /// are none.
    public init(_ credentials: @escaping @Sendable (any CredentialedAuthentication.Type) -> Credentials?) {
        self.credentials = credentials
    }

    public func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
        guard let credentials = credentials(auth) else { throw Unavailable("The credential provider has none.") }
        return credentials
    }

    public func refreshedCredentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
    ) async throws -> Credentials { rejected }

    private struct Unavailable: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
