import FeedbackTesting
import Networking
import Presentation
import Testing

@testable import Things

struct ThingsRendererSnapshotTests {
    private func screen(_ change: (inout ThingsViewModel.State) -> Void) -> Screen<ThingsViewModel.Action> {
        var state = ThingsViewModel.State()
        change(&state)
        return ThingsRenderer().render(state)
    }

    @Test("The first load")
    func loading() {
        expectSnapshot(of: screen { _ in }, named: "loading")
    }

    @Test("The list")
    func loaded() {
        let screen = screen {
            $0.things = ThingsExpectations.things
            $0.loading = .done
        }
        expectSnapshot(of: screen, named: "loaded")
    }

    @Test("A list of which an element was left out says so")
    func leftOut() {
        let screen = screen {
            $0.leftOut = 1
            $0.loading = .done
        }
        #expect(screen.text(width: 80).contains("1 element could not be read."))
    }

    @Test("A failed load offers to try again")
    func failed() {
        let screen = screen { $0.loading = .failed(.network(NetworkFailure(.timedOut)), number: 1) }
        #expect(screen.errors.map { $0.button?.action } == [.refresh])
    }
}
