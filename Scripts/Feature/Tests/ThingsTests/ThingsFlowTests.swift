import FeedbackTesting
import Presentation
import Testing
import Things

struct ThingsFlowTests {
    @Test("A person reads the list, and leaves")
    func flow() async throws {
        let session = try CannedBackend(ThingsExpectations.folder).session()
        let flow = ThingsFlowController(ThingsBuilder(accessible: session))
        flow.start()
        let person = ScriptedPerson(flow.screens)
        try await person.sees("Second")
        try await person.uses("Leave")
        #expect(flow.screens.screens.isEmpty)
    }
}
