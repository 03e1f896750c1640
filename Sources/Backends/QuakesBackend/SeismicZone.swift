import Foundation
import LocalBackend

/// A part of the world with many earthquakes.
struct SeismicZone {
    let network: String
    /// Towns with their region or country: `Hollister, California`.
    let towns: [String]
    let longitudes: ClosedRange<Double>
    let latitudes: ClosedRange<Double>
    /// The smallest magnitude that is measured there.
    let threshold: Double

    /// Small quakes are common, large ones rare: each step of one in magnitude makes them ten times as rare.
    func magnitude(_ numbers: inout SeededNumbers) -> Double {
        min(9.1, threshold - log10(1 - numbers.fraction()))
    }

    func place(_ numbers: inout SeededNumbers) -> String {
        let direction = numbers.element(of: Self.directions)
        return "\(1 + Int(numbers.fraction() * 120)) km \(direction) of \(numbers.element(of: towns))"
    }

    func longitude(_ numbers: inout SeededNumbers) -> Double {
        let longitude = longitudes.lowerBound + numbers.fraction() * (longitudes.upperBound - longitudes.lowerBound)
        // Some zones lie across the antimeridian.
        return longitude > 180 ? longitude - 360 : longitude
    }

    func latitude(_ numbers: inout SeededNumbers) -> Double {
        latitudes.lowerBound + numbers.fraction() * (latitudes.upperBound - latitudes.lowerBound)
    }

    private static let directions = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// All zones. Busy ones are listed more than once, so that they are chosen more often.
    static let all: [SeismicZone] = [
        california, california, california, alaska, alaska, alaska,
        SeismicZone(
            network: "hv", towns: ["Pāhala, Hawaii", "Volcano, Hawaii"], longitudes: -156.0...(-154.8),
            latitudes: 18.9...20.0, threshold: 1.2),
        SeismicZone(
            network: "us", towns: ["San José, Costa Rica", "Managua, Nicaragua", "Acapulco, México"],
            longitudes: -100...(-83), latitudes: 9...17, threshold: 3.5),
        SeismicZone(
            network: "us", towns: ["Ovalle, Chile", "Iquique, Chile", "Arequipa, Perú"], longitudes: -76...(-69),
            latitudes: -36...(-12), threshold: 3.8),
        SeismicZone(
            network: "us", towns: ["Miyako, Japan", "Shizunai-furukawachō, Japan"], longitudes: 138...146,
            latitudes: 33...44, threshold: 4),
        SeismicZone(
            network: "us", towns: ["Tobelo, Indonesia", "Kokopo, Papua New Guinea"], longitudes: 95...153,
            latitudes: -10...3, threshold: 4),
        SeismicZone(
            network: "us", towns: ["Nuku‘alofa, Tonga", "Levuka, Fiji", "Whakatāne, New Zealand"],
            longitudes: 174...186, latitudes: -42...(-15), threshold: 4),
        SeismicZone(
            network: "us", towns: ["Reykjanestá, Iceland", "Ponta Delgada, Portugal"], longitudes: -33...(-18),
            latitudes: 37...67, threshold: 4),
        SeismicZone(
            network: "us", towns: ["Lixoúri, Greece", "Doğanyol, Turkey", "Karakul, Tajikistan"], longitudes: 20...75,
            latitudes: 35...41, threshold: 3.8),
    ]

    private static let california = SeismicZone(
        network: "nc", towns: ["The Geysers, California", "Hollister, California", "San José, California", "Anza, CA"],
        longitudes: -125...(-115), latitudes: 33...41, threshold: -0.4)
    private static let alaska = SeismicZone(
        network: "ak", towns: ["Sand Point, Alaska", "Adak, Alaska", "Point MacKenzie, Alaska"],
        longitudes: 172...215, latitudes: 51...66, threshold: 0.8)
}
