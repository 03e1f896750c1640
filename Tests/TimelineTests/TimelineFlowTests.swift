import FeedbackTesting
import LocalBackend
import Networking
import Presentation
import Testing
import TimelineBackend

@testable import Timeline

/// The whole feature, over real sockets.
struct TimelineFlowTests {
    @Test("From the timeline to a status, to a profile, and back, with a favourite and a new name seen everywhere")
    func wholeFlow() async throws {
        let backend = LocalBackend()
        let server = MastodonServer(statusCount: 40)
        server.serve(on: backend)
        let url = try await backend.start()
        let session = BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: url]),
            credentials: FixedCredentials(.bearer("test")))
        let flow = TimelineFlowController(
            TimelineBuilder(accessible: session, ownAccount: MastodonServer.ownAccount))
        flow.start()
        let person = ScriptedPerson(flow.screens)
        try await person.sees("Favourite")
        try await person.uses("Older")
        try await person.uses("Your profile")
        try await person.sees("Bridges, mostly.")
        try await person.types("Ada Q.", into: "Name")
        try await person.uses("Rename")
        try await person.sees("Ada Q.: ")
        try await person.uses("Back")
        try await person.sees("Ada Q.: ")
        server.publish(50)
        try await person.uses("Refresh")
        try await person.sees("You were here:")
        try await person.sees("Load what is missing here")
        try await person.uses("Load what is missing here")
        try await person.uses("Leave")
        #expect(flow.screens.screens.isEmpty)
        await backend.stop(within: .zero)
    }
}
