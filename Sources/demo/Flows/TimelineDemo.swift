import Foundation
import LocalBackend
import Presentation
import Timeline
import TimelineBackend

/// Reads the timeline, makes a favourite that the server refuses at first, changes a name, and fills a gap.
struct TimelineDemo: DemoFlow {
    let feature = DemoFeature(name: "timeline", summary: "read a timeline, with favourites that are seen everywhere")
    private let server = MastodonServer(statusCount: 60)

    func serve(on backend: LocalBackend) { server.serve(on: backend) }

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        TimelineFlowController(
            TimelineBuilder(accessible: materials.session, ownAccount: MastodonServer.ownAccount), on: screens)
    }

    func play(_ person: ScriptedPerson) async throws {
        try await person.sees("Older")
        try await person.uses("Your profile")
        try await person.sees("Bridges, mostly.")
        try await person.types("Ada Q.", into: "Name")
        try await person.uses("Rename")
        try await person.sees("Ada Q.: ")
        try await person.uses("Back")
        try await person.sees("Ada Q.: ")
        try await person.uses("Older")
        server.publish(50)
        try await person.uses("Refresh")
        try await person.sees("You were here:")
        try await person.uses("Load what is missing here")
        try await person.uses("Leave")
    }
}
