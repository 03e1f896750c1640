import Foundation
import Quakes
import Sync

extension Quake {
    public static func fixture(
        quakeId: String = "us1", magnitude: Double = 4.5, time: Date = .quakeFixture, updated: Date = .quakeFixture,
        name: String = "8 km W of San José, Costa Rica", longitude: Double = -84.2, latitude: Double = 9.9
    ) -> Quake {
        Quake(
            quakeId: quakeId, magnitude: magnitude, time: time, updated: updated, name: name, longitude: longitude,
            latitude: latitude)
    }
}

extension Date {
    /// 2026-11-21, noon in Greenwich.
    public static let quakeFixture = Date(timeIntervalSince1970: 1_795_262_400)
}

extension DataError {
    /// A failure that a person would try again.
    public static func fixture() -> DataError { .service(.fixture()) }
}
