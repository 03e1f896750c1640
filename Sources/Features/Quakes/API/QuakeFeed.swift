import Foundation
import Networking

/// A GeoJSON feed of quakes. Features that cannot be read as a quake are left out, and listed in ``skipped``.
public struct QuakeFeed: Decodable, Equatable, Sendable {
    @Pruned var features: [Feature]

    public init(quakes: [Quake], skipped: [SkippedElement] = []) {
        _features = Pruned(wrappedValue: quakes.map(Feature.init), skipped: skipped)
    }

    /// The quakes, one for each id. If the feed has several with the same id, the one that was updated last counts.
    ///
    /// Quakes whose magnitude is not above zero are among them: they tell which stored quakes to delete.
    public var quakes: [Quake] {
        var places: [Quake.ID: Int] = Dictionary(minimumCapacity: features.count)
        var quakes: [Quake] = []
        quakes.reserveCapacity(features.count)
        for feature in features {
            let quake = feature.quake
            let place = places.updateValue(quakes.count, forKey: quake.id)
            guard let place else {
                quakes.append(quake)
                continue
            }
            places[quake.id] = place
            if quake.updated >= quakes[place].updated { quakes[place] = quake }
        }
        return quakes
    }

    /// The features that were left out.
    public var skipped: [SkippedElement] { $features }

    /// One element of the feed.
    struct Feature: Equatable, Sendable {
        var quake: Quake
    }
}

extension QuakeFeed.Feature: Decodable {
    private enum CodingKeys: String, CodingKey { case id, properties, geometry }

    private struct Properties: Decodable {
        var mag: Double?
        var place: String?
        var time: Double
        var updated: Double?
    }

    private struct Geometry: Decodable {
        var coordinates: Coordinates
    }

    /// An array of longitude, latitude and, in most feeds, depth.
    private struct Coordinates: Decodable {
        var longitude: Double
        var latitude: Double

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            longitude = try container.decode(Double.self)
            latitude = try container.decode(Double.self)
            guard -180...180 ~= longitude, -90...90 ~= latitude else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(longitude), \(latitude) is not a place on the earth.")
            }
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let properties = try container.decode(Properties.self, forKey: .properties)
        let coordinates = try container.decode(Geometry.self, forKey: .geometry).coordinates
        let quakeId = try container.decode(String.self, forKey: .id)
        guard !quakeId.isEmpty else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: "The id is empty.")
        }
        guard abs(properties.time) <= Self.maximumTime, abs(properties.updated ?? 0) <= Self.maximumTime else {
            throw DecodingError.dataCorruptedError(
                forKey: .properties, in: container, debugDescription: "\(properties.time) is not a time.")
        }
        quake = Quake(
            quakeId: quakeId, magnitude: properties.mag ?? 0, time: Date(milliseconds: properties.time),
            updated: Date(milliseconds: properties.updated ?? properties.time), name: properties.place ?? "",
            longitude: coordinates.longitude, latitude: coordinates.latitude)
    }

    /// 100 million days in milliseconds, the limit of dates in ECMAScript.
    private static let maximumTime = 8.64e15
}

extension Date {
    fileprivate init(milliseconds: Double) {
        self.init(timeIntervalSince1970: milliseconds / 1_000)
    }
}
