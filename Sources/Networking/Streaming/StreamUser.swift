import Feedback

/// The user for whom the connections of an event stream are made: that of the first one.
final class StreamUser: Sendable {
    /// `nil` before the first connection.
    private let user = Locked<String??>(nil)

    /// Throws if the credentials are not those of the user. If the first ones name none, there is nothing to compare.
    func check(
        _ credentials: Credentials, for auth: any CredentialedAuthentication.Type
    ) throws(CoreError) {
        let first = user.withLock { user in
            let first = user ?? credentials.user
            user = .some(first)
            return first
        }
        guard let first, first != credentials.user else { return }
        let reason = credentials.user == nil ? "They name no user." : "They are of another user now."
        throw .authentication(.missingCredentials(kind: auth.name, reason: reason))
    }
}
