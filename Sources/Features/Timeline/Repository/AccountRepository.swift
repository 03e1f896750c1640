import Feedback
import Networking
import Persistence

/// A repository of accounts and their statuses.
struct AccountRepository: Sendable {
    let accessible: any AuthenticatedAccessible
    let cache: NormalizedCache
    /// The last refusal.
    let refusal: MutableProperty<Refusal?>
    private let renames = RequestQueue<Account.ID>()

    init(
        accessible: any AuthenticatedAccessible, cache: NormalizedCache, refusal: MutableProperty<Refusal?>
    ) {
        self.accessible = accessible
        self.cache = cache
        self.refusal = refusal
    }

    /// Emits the known part of an account and its statuses; `nil` while the account is not known.
    func watchProfile(of id: Account.ID) -> SignalProducer<Profile?, NoError> {
        cache.watch { cache in
            cache[Reference<Account>(id)].map { Profile(account: $0, timeline: cache.list(TimelineKey.account(id))) }
        }
    }

    /// Fetches an account together with its newest statuses.
    func fetchProfile(of id: Account.ID) -> SignalProducer<Int, CoreError> {
        cache.fetch {
            accessible.access(TimelineService.fetchAccount(id))
                .zip(with: accessible.access(TimelineService.fetchStatuses(of: id, .init())))
        } store: { answer, batch in
            let (account, page) = answer
            batch.store(page.statuses)
            batch.store(account)
            batch.setList(TimelineKey.account(id), EntityList(page.statuses.map(\.id), next: page.next))
            return page.leftOut
        }
    }

    /// Fetches the page after the last status of an account. It completes at once if there is none.
    func fetchOlder(of id: Account.ID) -> SignalProducer<Int, CoreError> {
        cache.fetchNext(of: .account(id)) { accessible.access(TimelineService.fetchStatuses(of: id, .init(maxID: $0))) }
    }

    /// Renames the signed-in account. All screens show the name at once, and the old one again if the server refuses.
    /// The request goes on after the screen was left.
    func rename(_ id: Account.ID, to name: String) -> SignalProducer<Never, CoreError> {
        let request = accessible.access(TimelineService.updateCredentials(), with: CredentialsUpdate(displayName: name))
        return cache.applying(
            { $0.update(Reference<Account>(id)) { $0.rename(to: name) } }, during: renames.perform(request, about: id)
        ) { account, batch in batch.store(account) }
        .reportingRefusals(of: .renaming(id, to: name), to: refusal)
        .then(SignalProducer<Never, CoreError>.empty)
        .continuingAfterDisposal()
    }
}

/// An account, and its statuses as far as they were fetched.
public struct Profile: Equatable, Sendable {
    public var account: Account
    /// `nil` before they were fetched.
    public var timeline: CachedList<Status>?

    public init(account: Account, timeline: CachedList<Status>? = nil) {
        self.account = account
        self.timeline = timeline
    }
}
