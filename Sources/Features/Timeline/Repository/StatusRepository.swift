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

extension SignalProducer where Error == CoreError {
    /// Sets `refusal` if the server refuses the request, and to `nil` when the request starts.
    func reportingRefusals(of request: Refusal.Request, to refusal: MutableProperty<Refusal?>) -> SignalProducer {
        on(starting: { refusal.value = nil }, failed: { refusal.value = Refusal(of: request, $0) })
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

/// An act on a status: makes it a favourite or repeats it, or takes that back.
public struct StatusAct: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        case favourite
        case reblog
    }

    public var kind: Kind
    public var isOn: Bool
    public var id: Status.ID

    public init(_ kind: Kind, _ isOn: Bool, _ id: Status.ID) {
        self.kind = kind
        self.isOn = isOn
        self.id = id
    }

    /// Makes the act that a press of the button stands for, given the status as it is shown.
    init(toggling kind: Kind, of status: Status) {
        switch kind {
        case .favourite: self.init(.favourite, !(status.isFavourite ?? false), status.id)
        case .reblog: self.init(.reblog, !(status.isReblogged ?? false), status.id)
        }
    }

    @Sendable
    func apply(to status: inout Status) {
        switch kind {
        case .favourite: status.setFavourite(isOn)
        case .reblog: status.setReblogged(isOn)
        }
    }
}
