extension CredentialProvider {
    /// Returns a provider of the same credentials that throws while they are not those of a user, for requests that only
    /// this user may send.
    ///
    /// ```swift
    /// let session = BackendSession(environment: .production, credentials: tokens.only(for: "anna"))
    /// ```
    ///
    /// Without it, a request that waits while one user signs out, and another one signs in, is sent with the credentials of
    /// the second one. With it, the request fails with ``AuthenticationFailure/missingCredentials(kind:reason:)``. The
    /// credentials must name their user.
    public func only(for user: String) -> any CredentialProvider { UserCredentials(base: self, user: user) }
}

private struct UserCredentials<Base: CredentialProvider>: CredentialProvider {
    let base: Base
    let user: String

    func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
        try await checked(base.credentials(for: auth))
    }

    func refreshedCredentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
    ) async throws -> Credentials {
        try await checked(base.refreshedCredentials(for: auth, replacing: checked(rejected)))
    }

    private func checked(_ credentials: Credentials) throws -> Credentials {
        if credentials.user == user { return credentials }
        throw OtherUser(description: credentials.user == nil ? "They name no user." : "They are of another user now.")
    }

    private struct OtherUser: Error, CustomStringConvertible {
        let description: String
    }
}
