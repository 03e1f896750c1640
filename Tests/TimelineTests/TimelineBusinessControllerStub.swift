import Feedback
import FeedbackTesting
import Networking
import Persistence
import Timeline

/// A business controller that answers when the test says so, and shows what the test puts into its properties.
struct TimelineBusinessControllerStub: TimelineBusinessControllerProtocol {
    let home = MutableProperty<CachedList<Status>?>(nil)
    let thread = MutableProperty<StatusThread?>(nil)
    let profile = MutableProperty<Profile?>(nil)
    let refusal = MutableProperty<Refusal?>(nil)

    let refreshes = Stub<Void, Int, CoreError>()
    let olderPages = Stub<Void, Int, CoreError>()
    let gaps = Stub<Status.ID, Int, CoreError>()
    let threads = Stub<Status.ID, Int, CoreError>()
    let acts = Stub<StatusAct, Never, CoreError>()
    let profiles = Stub<Account.ID, Int, CoreError>()
    let olderStatuses = Stub<Account.ID, Int, CoreError>()
    let renames = Stub<String, Never, CoreError>()

    func watchHome() -> SignalProducer<CachedList<Status>?, NoError> { home.producer }
    func refreshHome() -> SignalProducer<Int, CoreError> { refreshes() }
    func fetchOlderHome() -> SignalProducer<Int, CoreError> { olderPages() }
    func fillGap(after id: Status.ID) -> SignalProducer<Int, CoreError> { gaps(id) }

    func watchThread(of id: Status.ID) -> SignalProducer<StatusThread?, NoError> { thread.producer }
    func fetchThread(of id: Status.ID) -> SignalProducer<Int, CoreError> { threads(id) }
    func perform(_ act: StatusAct) -> SignalProducer<Never, CoreError> { acts(act) }
    func watchRefusals() -> SignalProducer<Refusal?, NoError> { refusal.signal.producer }

    func watchProfile(of id: Account.ID) -> SignalProducer<Profile?, NoError> { profile.producer }
    func fetchProfile(of id: Account.ID) -> SignalProducer<Int, CoreError> { profiles(id) }
    func fetchOlderStatuses(of id: Account.ID) -> SignalProducer<Int, CoreError> { olderStatuses(id) }
    func rename(_ id: Account.ID, to name: String) -> SignalProducer<Never, CoreError> { renames(name) }
}
