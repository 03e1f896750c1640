import Feedback
import FeedbackTesting
import Presentation

struct SearchViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var query = ""
        var results: [String] = []
    }
    enum Action: Equatable, Sendable { case type(String) }
    enum Event: ActionEvent, Equatable { case ui(Action), didFind([String]) }

    let search: Stub<String, [String], NoError>
    let scheduler: any DateScheduler

    var initial: State { State() }
    static func reduce(_ state: inout State, _ event: Event) {}
}

struct ListRenderer: Renderer {
    func render(_ state: Int) -> Screen<Int> { some() }
}

var screens: ScreenStack { some() }
var flow: any FlowController { some() }
var person: ScriptedPerson { some() }
var search: Signal<String, NoError> { some() }
var tester: LoopTester<SearchViewModel.State, SearchViewModel.Event> { some() }
var stub: Stub<String, [String], NoError> { some() }
var renderer: ListRenderer { some() }
var state: Int { some() }
