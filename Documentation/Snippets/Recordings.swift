import Foundation
import Networking
import Presentation
import Recordings

struct CitiesBuilder: Sendable { init(accessible: any AuthenticatedAccessible) {} }

final class CitiesFlowController: FlowController {
    let screens: ScreenStack

    init(_ builder: CitiesBuilder, on screens: ScreenStack) { self.screens = screens }
    func start() {}
}

var environment: BackendEnvironment { some() }
var screens: ScreenStack { some() }
var recording: Recording { some() }
var run: Recording.Run { some() }
var folder: URL { some() }
var file: URL { some() }
