import Presentation

struct CitiesBuilder: Sendable { init(_ materials: Int) {} }

final class CitiesFlowController: FlowController {
    let screens: ScreenStack

    init(_ builder: CitiesBuilder, on screens: ScreenStack) { self.screens = screens }
    func start() {}
}

var materials: Int { some() }
