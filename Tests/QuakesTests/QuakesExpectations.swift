import CannedResponses
import Fixtures
import Foundation
import Networking
import Persistence
import Quakes

/// The values that the canned responses decode to, and shared values of the tests.
enum QuakesExpectations {
    static let folder = CannedResponses.folder("Quakes")

    static func malformed(_ name: String) -> URL { folder.appending(path: "Malformed/\(name)") }

    /// The feed of the last hour, one for each id.
    static let quakes = [
        quake("us1", magnitude: 4.7, updated: 120),
        quake("us2", magnitude: 0, name: ""),
        quake("us3", magnitude: -0.3, name: "The Geysers"),
        quake("us9", magnitude: 4.5, updated: 0, longitude: -180, latitude: 90),
    ]

    private static func quake(
        _ id: String, magnitude: Double, updated: TimeInterval = 60, name: String = "8 km W of San José, Costa Rica",
        longitude: Double = -84.2, latitude: Double = 9.9
    ) -> Quake {
        .fixture(
            quakeId: id, magnitude: magnitude, updated: .quakeFixture + updated, name: name, longitude: longitude,
            latitude: latitude)
    }

    /// Describes where the feeds are.
    static func environment(at url: URL) -> BackendEnvironment {
        BackendEnvironment(name: "test", services: [.earthquakes: url])
    }

    /// A calendar as most people use it, in a time zone.
    static func calendar(_ zone: String = "GMT") -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        return calendar
    }

    static func date(_ text: String) -> Date {
        (try? Date(text, strategy: .iso8601)) ?? .distantPast
    }
}
