import Feedback

/// Refreshes credentials once, however many requests were refused with them.
///
/// Each request takes a ticket before it is sent. A request that is refused looks whether a refresh has ended since its
/// ticket: then it shares that refresh's outcome, a failure as well; else it joins the refresh under way, or begins one.
/// A request that is sent after a failed refresh has a later ticket, so that it may try again.
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
    /// A refresh goes on after its last caller has gone: credentials that the server has issued must not be lost.
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

    /// Credentials to replace those that were refused to a request with that ticket.
    func credentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials, since ticket: Ticket
    ) async throws(CoreError) -> Credentials {
        let id = ObjectIdentifier(auth)
        if Self.beingRefreshed.contains(id) {
            throw .authentication(.refreshFailed(kind: auth.name, reason: "The refresh itself was refused with 401."))
        }
        if let outcome = outcome(for: id, replacing: rejected, since: ticket) { return try outcome.get() }
        return try await sharedWork.value(for: id) { () async throws(CoreError) -> Credentials in
            // One may have ended between the look above and here.
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

    /// The outcome of a refresh that has ended since the ticket.
    ///
    /// It may have given the credentials that have just been rejected. If it was for those very credentials, it has nothing
    /// better, and asking again would not help. Otherwise it was for older ones, and another refresh is due.
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
