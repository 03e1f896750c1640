import Foundation
import Feedback

/// Refreshes credentials once, however many requests were refused with them.
///
/// Requests share a refresh only if they were refused with the same credentials: after a sign-out, a request of the next
/// user must not be sent with what the refresh for the last one returns. Credentials that the provider has replaced
/// meanwhile are not refreshed, if they name their user.
///
/// Each request takes a ticket before it is sent. If a refresh of its credentials has ended since the ticket of a refused
/// request, the request shares the outcome of that refresh, also if it is a failure. Otherwise it joins the refresh under
/// way, or begins one. A request that is sent after a failed refresh has a later ticket, so it may try again.
final class CredentialRefresh: Sendable {
    struct Ticket: Sendable {
        fileprivate let endedRefreshes: Int
    }

    private typealias Outcome = Result<Credentials, CoreError>

    /// The kind of authentication of a refresh, and the credentials that were refused. Requests with the same share one.
    private struct Key: Hashable {
        let auth: ObjectIdentifier
        let rejected: Credentials
    }

    private struct History {
        var endedRefreshes = 0
        /// The last refreshes that have ended; several, since those of different users may end at the same time.
        var last: [(number: Int, rejected: Credentials, outcome: Outcome)] = []

        mutating func append(_ outcome: Outcome, for rejected: Credentials) {
            endedRefreshes += 1
            last.append((endedRefreshes, rejected, outcome))
            if last.count > 4 { last.removeFirst() }
        }
    }

    private let provider: any CredentialProvider
    /// The longest time that a refresh may take.
    private let timeout: Duration
    private let histories = Locked<[ObjectIdentifier: History]>([:])
    /// A refresh continues if all its callers are cancelled: credentials that the server has issued must not be lost.
    private let sharedWork = SharedWork<Key, Credentials>(cancelsAbandonedWork: false)

    /// A refresh, as the tasks that it has started know it. They may go on after it.
    private final class Refresh: Sendable {
        let owner: ObjectIdentifier
        let auth: ObjectIdentifier
        private let isOver = Locked(false)

        init(by owner: CredentialRefresh, of auth: ObjectIdentifier) {
            (self.owner, self.auth) = (ObjectIdentifier(owner), auth)
        }

        func end() { isOver.withLock { $0 = true } }

        func isUnderWay(by other: CredentialRefresh, of auth: ObjectIdentifier) -> Bool {
            owner == ObjectIdentifier(other) && self.auth == auth && !isOver.withLock(\.self)
        }
    }

    /// The refreshes that have started the current task, so that none waits for itself.
    @TaskLocal private static var refreshes: [Refresh] = []

    init(provider: any CredentialProvider, timeout: Duration) {
        self.provider = provider
        self.timeout = timeout
    }

    func ticket(for auth: any CredentialedAuthentication.Type) -> Ticket {
        histories.withLock { Ticket(endedRefreshes: $0[ObjectIdentifier(auth)]?.endedRefreshes ?? 0) }
    }

    func credentials(for auth: any CredentialedAuthentication.Type) async throws(CoreError) -> Credentials {
        do {
            return try await provider.credentials(for: auth)
        } catch {
            let isCancelled = Task.isCancelled || error is CancellationError || error as? CoreError == .cancelled
            if isCancelled || (error as? URLError)?.code == .cancelled { throw .cancelled }
            let failure = AuthenticationFailure.missingCredentials(kind: auth.name, reason: "\(error)")
            throw .authentication(Self.unreachable(auth, error) ?? failure)
        }
    }

    /// Returns the credentials that replace those which were refused to a request with this ticket. They are of the same
    /// user.
    func credentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials, since ticket: Ticket
    ) async throws(CoreError) -> Credentials {
        let key = Key(auth: ObjectIdentifier(auth), rejected: rejected)
        if Self.refreshes.contains(where: { $0.isUnderWay(by: self, of: key.auth) }) {
            throw .authentication(.refreshFailed(kind: auth.name, reason: "The refresh itself was refused with 401."))
        }
        let replacement: Credentials
        if let outcome = outcome(for: key, since: ticket) {
            replacement = try outcome.get()
        } else {
            replacement = try await sharedWork.value(for: key) { () async throws(CoreError) -> Credentials in
                // Another refresh may have ended since the check above.
                if let outcome = self.outcome(for: key, since: ticket) { return try outcome.get() }
                return try await self.refresh(auth, key).get()
            }
        }
        guard replacement.user == rejected.user else {
            let reason =
                if replacement.user == nil {
                    "The new credentials name no user."
                } else if rejected.user == nil {
                    "The old credentials name no user."
                } else {
                    "They are of another user now."
                }
            throw .authentication(.refreshFailed(kind: auth.name, reason: reason))
        }
        return replacement
    }

    // MARK: - Machinery

    /// Returns the outcome of the refresh of the refused credentials, if it has ended since the ticket. If its credentials
    /// were refreshed in turn, the result is the outcome of that refresh.
    ///
    /// The refresh may have returned the very credentials that were refused. Then the provider has nothing better.
    private func outcome(for key: Key, since ticket: Ticket) -> Outcome? {
        var (rejected, outcome) = (key.rejected, nil as Outcome?)
        for ended in histories.withLock({ $0[key.auth]?.last ?? [] })
        where ended.number > ticket.endedRefreshes && ended.rejected == rejected {
            outcome = ended.outcome
            if case .success(let new) = ended.outcome { rejected = new }
        }
        return outcome
    }

    private func refresh(_ auth: any CredentialedAuthentication.Type, _ key: Key) async -> Outcome {
        let refresh = Refresh(by: self, of: key.auth)
        defer { refresh.end() }
        let outcome = await Self.$refreshes.withValue(Self.refreshes + [refresh]) {
            await replacement(of: key.rejected, auth)
        }
        histories.withLock { $0[key.auth, default: History()].append(outcome, for: key.rejected) }
        return outcome
    }

    /// Returns the provider's credentials if they are no longer those that were refused; otherwise has it refresh them.
    ///
    /// Without a user, other credentials may be anybody's, so only the provider can tell what replaces the refused ones.
    private func replacement(
        of rejected: Credentials, _ auth: any CredentialedAuthentication.Type
    ) async -> Outcome {
        let reason = "It did not end within \(timeout)."
        let late = CoreError.authentication(.refreshFailed(kind: auth.name, reason: reason))
        do throws(CoreError) {
            return .success(
                try await withTimeLimit(timeout, failure: late) { [self] () async throws(CoreError) in
                    do {
                        if rejected.user != nil {
                            let present = try await provider.credentials(for: auth)
                            if present != rejected { return present }
                        }
                        return try await provider.refreshedCredentials(for: auth, replacing: rejected)
                    } catch {
                        let failure = AuthenticationFailure.refreshFailed(kind: auth.name, reason: "\(error)")
                        throw .authentication(Self.unreachable(auth, error) ?? failure)
                    }
                })
        } catch {
            return .failure(error)
        }
    }

    /// Returns the failure to tell if the provider has thrown one of the network.
    private static func unreachable(
        _ auth: any CredentialedAuthentication.Type, _ error: any Error
    ) -> AuthenticationFailure? {
        let failure =
            (error as? URLError).map { NetworkFailure($0, url: $0.failingURL) } ?? (error as? CoreError)?.networkFailure
        return failure.map { .unreachable(kind: auth.name, $0) }
    }
}
