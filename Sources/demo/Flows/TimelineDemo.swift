import Foundation
import LocalBackend
import Presentation
import Timeline
import TimelineBackend

/// Reads the timeline, changes the name that stands in it, and fills the gap that a refresh leaves.
struct TimelineDemo: DemoFlow {
    let feature = DemoFeature(name: "timeline", summary: "read a timeline, change a name in it, fill a gap")

    func serve(on backend: LocalBackend) {
        MastodonServer(statusCount: 60, writtenBetweenRefreshes: 50).serve(on: backend)
    }

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        TimelineFlowController(
            TimelineBuilder(accessible: materials.session, ownAccount: MastodonServer.ownAccount), on: screens)
    }

    var source: FlowSource {
        FlowSource(
            imports: ["Timeline"],
            lines: [
                "let builder = TimelineBuilder(accessible: session, ownAccount: \"\(MastodonServer.ownAccount)\")",
                "let flow = TimelineFlowController(builder, on: screens)",
            ])
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
        try await person.uses("Refresh")
        try await person.sees("You were here:")
        try await person.uses("Load what is missing here")
        try await person.uses("Leave")
    }
}
