import Foundation
import LocalBackend
import Networking
import Persistence
import Presentation
import Quakes
import QuakesBackend

/// Refreshes the quakes, searches and sorts them, and deletes some.
struct QuakesDemo: DemoFlow {
    let feature = DemoFeature(
        name: "quakes", summary: "look at the earthquakes of a day, on a map too", keepsData: true, showsFeeds: true)

    /// The address of the real service.
    static let service: URL = {
        var parts = URLComponents()
        (parts.scheme, parts.host) = ("https", "earthquake.usgs.gov")
        return parts.url ?? URL(filePath: "/")
    }()

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        do throws(StoreError) {
            let database = try QuakeDatabase(.at(materials.database))
            let controller = QuakesBusinessController(accessible: materials.session, database: database)
            return QuakesFlowController(
                QuakesBuilder(businessController: controller, now: materials.now), on: screens)
        } catch {
            return DeadEnd(title: "Earthquakes", reason: "\(error)", on: screens)
        }
    }

    /// Returns the time of the newest quake of a saved feed.
    static func end(of feed: URL) -> Date? {
        guard let data = try? Data(contentsOf: feed) else { return nil }
        let parsed: Result<QuakeFeed, CoreError> = Parser.parse(data)
        return (try? parsed.get())?.quakes.map(\.time).max()
    }

    var source: FlowSource {
        FlowSource(
            imports: ["Quakes"],
            lines: [
                "let controller = QuakesBusinessController(accessible: session, database: try QuakeDatabase(.memory))",
                "let builder = QuakesBuilder(businessController: controller, now: { now })",
                "let flow = QuakesFlowController(builder, on: screens)",
            ])
    }

    func play(_ person: ScriptedPerson) async throws {
        try await person.sees("There are no quakes yet.")
        try await person.types("SAN JOSE", into: "Name")
        try await person.uses("Refresh month", times: 2)
        try await person.sees(" of ")
        try await person.uses("Refresh month")
        if try await firstQuake(person) == nil { try await person.uses("Previous day") }
        // A saved or live feed may have none with this name.
        if try await firstQuake(person) == nil { try await person.types("", into: "Name") }
        try await person.uses("Strongest first")
        if let quake = try await firstQuake(person) {
            try await person.uses(quake)
            try await person.uses("Delete")
        }
        if try await person.looks()?.contains("There are no quakes yet.") == false {
            try await person.uses("Delete all")
        }
        try await person.sees("There are no quakes yet.")
        try await person.uses("Leave")
    }

    /// Returns the name of the first quake in the list, if there is one.
    private func firstQuake(_ person: ScriptedPerson) async throws -> String? {
        let lines = try await person.looks()?.split(separator: "\n") ?? []
        let quake = lines.first { $0.contains("  M ") && $0.contains("°") }
        return quake?.drop { $0 != "○" && $0 != "●" }.dropFirst(2).split(separator: "  ").first.map(String.init)
    }
}

// MARK: - Backend

extension QuakesDemo {
    func serve(on backend: LocalBackend) {
        QuakesBackend(QuakeFeedGenerator(count: 4_000, end: Date())).serve(on: backend)
    }

    func serve(on backend: LocalBackend, feed: Data) {
        QuakesBackend(saved: feed).serve(on: backend)
    }
}
