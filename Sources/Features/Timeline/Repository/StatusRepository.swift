import Feedback
import Networking
import Persistence

/// A repository of statuses with their threads, and of the acts on them.
struct StatusRepository: Sendable {
    let accessible: any AuthenticatedAccessible
    let cache: NormalizedCache
    /// The last refusal.
    let refusal: MutableProperty<Refusal?>
    private let acts = RequestQueue<Status.ID>()

    init(
        accessible: any AuthenticatedAccessible, cache: NormalizedCache, refusal: MutableProperty<Refusal?>
    ) {
        self.accessible = accessible
        self.cache = cache
        self.refusal = refusal
    }

    /// Emits the known part of a status and its thread; `nil` while the status is not known.
    func watchThread(of id: Status.ID) -> SignalProducer<StatusThread?, NoError> {
        cache.watch { cache in
            guard let status = cache[Reference<Status>(id)] else { return nil }
            return StatusThread(
                status: status, ancestors: cache.list(TimelineKey.ancestors(id))?.entities ?? [],
                descendants: cache.list(TimelineKey.descendants(id))?.entities ?? [])
        }
    }

    /// Fetches a status together with its thread.
    func fetchThread(of id: Status.ID) -> SignalProducer<Int, CoreError> {
        cache.fetch {
            accessible.access(TimelineService.fetchStatus(id))
                .zip(with: accessible.access(TimelineService.fetchContext(of: id)))
        } store: { answer, batch in
            let (status, context) = answer
            batch.store(context.ancestors + context.descendants + [status])
            batch.setList(TimelineKey.ancestors(id), EntityList(context.ancestors.map(\.id)))
            batch.setList(TimelineKey.descendants(id), EntityList(context.descendants.map(\.id)))
            return context.$ancestors.count + context.$descendants.count
        }
    }

    /// Performs an act on a status. All screens show it at once, and take it back if the server refuses.
    ///
    /// The request goes on after the screen was left, so leaving it does not take back an act.
    func perform(_ act: StatusAct) -> SignalProducer<Never, CoreError> {
        let request =
            switch act.kind {
            case .favourite: accessible.access(TimelineService.setFavourite(act.isOn, act.id))
            case .reblog: accessible.access(TimelineService.setReblogged(act.isOn, act.id))
            }
        return cache.applying(
            { $0.update(Reference<Status>(act.id), act.apply) }, during: acts.perform(request, about: act.id)
        ) { status, batch in batch.store(status) }
        .reportingRefusals(of: .act(act), to: refusal)
        .then(SignalProducer<Never, CoreError>.empty)
        .continuingAfterDisposal()
    }
}

/// A status with the statuses that it answers, and those that answer it.
public struct StatusThread: Equatable, Sendable {
    public var status: Status
    public var ancestors: [Status]
    public var descendants: [Status]

    public init(status: Status, ancestors: [Status] = [], descendants: [Status] = []) {
        self.status = status
        self.ancestors = ancestors
        self.descendants = descendants
    }
}
