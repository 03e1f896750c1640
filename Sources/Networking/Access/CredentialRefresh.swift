import Feedback

/// Refreshes credentials once, however many requests were refused with them.
///
/// Each request takes a ticket before it is sent. If a refresh has ended since the ticket of a refused request, the
/// request shares the outcome of that refresh, also if it is a failure. Otherwise it joins the refresh under way, or
/// begins one. A request that is sent after a failed refresh has a later ticket, so it may try again.
final class CredentialRefresh: Sendable {
    struct Ticket: Sendable {
        fileprivate let endedRefreshes: Int
    }

    private typealias Outcome = Result<Credentials, CoreError>

    private struct History {
        var endedRefreshes = 0
        var last: (rejected: Credentials, outcome: Outcome)?
    }

    private let provider: any CredentialProvider
    /// The longest time that a refresh may take.
    private let timeout: Duration
    private let histories = Locked<[ObjectIdentifier: History]>([:])
    /// A refresh continues if all its callers are cancelled: credentials that the server has issued must not be lost.
    private let sharedWork = SharedWork<ObjectIdentifier, Credentials>(cancelsAbandonedWork: false)

    /// The kinds that the current task is refreshing, so that a refresh never waits for itself.
    @TaskLocal private static var beingRefreshed: Set<ObjectIdentifier> = []

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
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .authentication(.missingCredentials(kind: auth.name, reason: "\(error)"))
        }
    }

    /// Returns the credentials that replace those which were refused to a request with this ticket.
    func credentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials, since ticket: Ticket
    ) async throws(CoreError) -> Credentials {
        let id = ObjectIdentifier(auth)
        if Self.beingRefreshed.contains(id) {
            throw .authentication(.refreshFailed(kind: auth.name, reason: "The refresh itself was refused with 401."))
        }
        if let outcome = outcome(for: id, replacing: rejected, since: ticket) { return try outcome.get() }
        return try await sharedWork.value(for: id) { () async throws(CoreError) -> Credentials in
            // Another refresh may have ended since the check above.
            if let outcome = self.outcome(for: id, replacing: rejected, since: ticket) { return try outcome.get() }
            let outcome = await Self.$beingRefreshed.withValue(Self.beingRefreshed.union([id])) {
                await self.refresh(auth, replacing: rejected)
            }
            self.histories.withLock { histories in
                histories[id, default: History()].endedRefreshes += 1
                histories[id]?.last = (rejected, outcome)
            }
            return try outcome.get()
        }
    }

    // MARK: - Machinery

    /// Returns the outcome of the last refresh, if it has ended since the ticket and answers this request.
    ///
    /// The refresh may have returned the very credentials that were just rejected. If it replaced those same
    /// credentials, the provider has nothing better, and the outcome stands. If it replaced older ones, another refresh
    /// is due, and the result is `nil`.
    private func outcome(for id: ObjectIdentifier, replacing rejected: Credentials, since ticket: Ticket) -> Outcome? {
        histories.withLock { histories in
            guard let history = histories[id], history.endedRefreshes > ticket.endedRefreshes,
                let last = history.last
            else { return nil }
            if case .success(rejected) = last.outcome, last.rejected != rejected { return nil }
            return last.outcome
        }
    }

    private func refresh(_ auth: any CredentialedAuthentication.Type, replacing rejected: Credentials) async -> Outcome
    {
        let reason = "It did not end within \(timeout)."
        let late = CoreError.authentication(.refreshFailed(kind: auth.name, reason: reason))
        do throws(CoreError) {
            return .success(
                try await withTimeLimit(timeout, failure: late) { [provider] () async throws(CoreError) in
                    do {
                        return try await provider.refreshedCredentials(for: auth, replacing: rejected)
                    } catch {
                        throw .authentication(.refreshFailed(kind: auth.name, reason: "\(error)"))
                    }
                })
        } catch {
            return .failure(error)
        }
    }
}
