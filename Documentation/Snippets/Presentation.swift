import Feedback
import Networking
import Presentation

struct CounterViewModel: ViewModel {
    enum Action: Sendable { case increment }
    enum Event: ActionEvent { case ui(Action) }
    enum Route: Sendable { case leave }

    var initial: Int { 0 }
    static func reduce(_ state: inout Int, _ event: Event) {}
    static func route(_ event: Event, _ state: Int) -> Route? { nil }
}

struct ProfileViewModel: ViewModel {
    struct State: Equatable, Sendable { var name = "" }
    enum Action: Sendable { case rename(String) }
    enum Event: ActionEvent { case ui(Action) }

    var initial: State { State() }
    static func reduce(_ state: inout State, _ event: Event) {}
}

struct CounterBuilder: Sendable {
    func counter(onRoute: @escaping @Sendable (CounterViewModel.Route) -> Void) -> LiveScreen { some() }
}

struct CitiesBuilder: Sendable { init(accessible: any AuthenticatedAccessible) {} }

final class CitiesFlowController: FlowController {
    let screens = ScreenStack()

    init(_ builder: CitiesBuilder) {}
    func start() {}
}

typealias Section = Screen<CitiesViewModel.Action>.Section

struct LoadingState { var loading = Attempt<CoreError>.idle }

func follow(_ route: CitiesViewModel.Route) {}

var flow: CitiesFlowController { some() }
var builder: CounterBuilder { some() }
var screens: ScreenStack { some() }
var person: ScriptedPerson { some() }
var state: LoadingState { some() }
