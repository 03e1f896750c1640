import Foundation
import Persistence

/// An earthquake.
public struct Quake: Hashable, Sendable {
    public var quakeId: String
    public var magnitude: Double
    /// The time of the earthquake.
    public var time: Date
    /// The time at which this description was written. A later description replaces an earlier one.
    public var updated: Date
    /// The place in words; empty if the feed does not name one.
    public var name: String
    /// The longitude in degrees, from -180 to 180; positive in the east.
    public var longitude: Double
    /// The latitude in degrees, from -90 to 90; positive in the north.
    public var latitude: Double

    public init(
        quakeId: String, magnitude: Double, time: Date, updated: Date, name: String, longitude: Double,
        latitude: Double
    ) {
        self.quakeId = quakeId
        self.magnitude = magnitude
        self.time = time
        self.updated = updated
        self.name = name
        self.longitude = longitude
        self.latitude = latitude
    }
}

extension Quake: Identifiable {
    public var id: String { quakeId }
}

// MARK: - Storing

extension Quake {
    static let schema = Schema<Quake>(
        "quakes", Quake.init, Column("quake_id", \.quakeId), Column("magnitude", \.magnitude), Column("time", \.time),
        Column("updated", \.updated), Column("name", \.name), Column("longitude", \.longitude),
        Column("latitude", \.latitude))
}

// MARK: - Samples

extension Quake {
    public static let xxsmall = sample("xxsmall", magnitude: 0.5, "8 km W of San José, Costa Rica", -84.2, 9.9)
    public static let xsmall = sample("xsmall", magnitude: 1.5, "6 km NW of The Geysers, California", -122.8, 38.8)
    public static let small = sample("small", magnitude: 2.5, "31 km SSE of Volcano, Hawaii", -155.1, 19.2)
    public static let medium = sample("medium", magnitude: 3.5, "12 km N of Reykjanestá, Iceland", -22.7, 63.9)
    public static let large = sample("large", magnitude: 4.5, "59 km E of Miyako, Japan", 142.6, 39.6)
    public static let xlarge = sample("xlarge", magnitude: 5.5, "South of the Fiji Islands", 179.9, -24.1)
    public static let xxlarge = sample("xxlarge", magnitude: 6.5, "27 km SW of Ovalle, Chile", -71.4, -30.8)
    public static let xxxlarge = sample("xxxlarge", magnitude: 7.5, "99 km SE of Sand Point, Alaska", -159.6, 54.6)

    /// One quake of each size, the smallest first, an hour apart.
    public static let samples = [xxsmall, xsmall, small, medium, large, xlarge, xxlarge, xxxlarge]

    private static func sample(
        _ quakeId: String, magnitude: Double, _ name: String, _ longitude: Double, _ latitude: Double
    ) -> Quake {
        // From 2026-11-21 on.
        let time = Date(timeIntervalSince1970: 1_795_219_200 + magnitude.rounded(.down) * 3_600)
        return Quake(
            quakeId: quakeId, magnitude: magnitude, time: time, updated: time + 600, name: name, longitude: longitude,
            latitude: latitude)
    }
}
