import Canned
import CannedResponses
import Departures
import Presentation

let backend = try CannedBackend(CannedResponses.folder("Departures"))
let controller = DeparturesBusinessController(accessible: backend.session())
let screens = ScreenStack()
screens.push(
    LiveScreen(DeparturesViewModel(businessController: controller), DeparturesRenderer()) { route in
        switch route {
        case .leave: screens.pop()
        }
    })
await TerminalSession(screens).run()
