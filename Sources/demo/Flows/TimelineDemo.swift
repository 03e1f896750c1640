import Foundation
import LocalBackend
import Persistence
import Presentation
import Timeline
import TimelineBackend

/// Makes a status a favourite, changes the name that the timeline shows, and fills the gap that a refresh leaves.
struct TimelineDemo: DemoFlow {
    let feature = DemoFeature(
        name: "timeline", summary: "read a timeline, change a name in it, fill a gap", keepsData: true)

    private let server = MastodonServer(statusCount: 60, writtenBetweenRefreshes: 50)

    func serve(on backend: LocalBackend) { server.serve(on: backend) }

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        do throws(StoreError) {
            let cache = try cache(in: materials.database)
            // At each launch the server begins with 60 statuses. It publishes more if a kept cache holds more.
            let known = cache.list(TimelineKey.home)?.ids.count ?? 0
            server.publish(max(0, known - 60))
            let builder = TimelineBuilder(
                accessible: materials.session, ownAccount: MastodonServer.ownAccount, cache: cache)
            return TimelineFlowController(builder, on: screens)
        } catch {
            return DeadEnd(title: "Timeline", reason: "\(error)", on: screens)
        }
    }

    /// Makes the cache, kept in the file if there is one, so that the next launch shows the last screen.
    private func cache(in file: URL?) throws(StoreError) -> NormalizedCache {
        guard let file else { return TimelineBusinessController.makeCache() }
        let database = try SQLiteDatabase(.file(file.path(percentEncoded: false)))
        return try NormalizedCache(
            limits: TimelineBusinessController.cacheLimits,
            file: CacheFile(in: database, kinds: TimelineBusinessController.cacheKinds))
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
        try await person.sees("avourite “")
        if let (status, favourite) = try await firstStatus(person) {
            try await person.uses(favourite)
            try await person.uses(status)
            try await person.sees("Unfavourite (")
            try await person.uses("Back")
        }
        try await person.uses("Your profile")
        try await person.sees("Bridges, mostly.")
        try await person.types("Ada Q.", into: "Name")
        try await person.uses("Rename")
        try await person.sees("Ada Q.: ")
        try await person.uses("Back")
        try await person.sees("Ada Q.: ")
        // A kept cache may hold the timeline to its end, without a gap.
        if try await person.looks()?.contains("] Older") == true { try await person.uses("Older") }
        try await person.uses("Refresh")
        try await person.sees("You were here:")
        let gap = "Load what is missing here"
        if try await person.looks()?.contains(gap) == true { try await person.uses(gap) }
        try await person.uses("Leave")
    }

    /// Returns the names of the first status that is not a favourite yet, and of the button that makes it one.
    private func firstStatus(_ person: ScriptedPerson) async throws -> (status: String, favourite: String)? {
        let lines = try await person.looks()?.split(separator: "\n") ?? []
        guard let index = lines.firstIndex(where: { $0.hasPrefix("  Favourite “") }), index > 0 else { return nil }
        let status = lines[index - 1].drop { $0 != "○" }.dropFirst(2).split(separator: "  ").first
        return status.map { ("\($0)", lines[index].trimmingCharacters(in: .whitespaces)) }
    }
}
