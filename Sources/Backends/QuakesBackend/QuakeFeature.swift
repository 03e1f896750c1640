import Foundation

/// One feature of a feed, with all the properties that a real service writes.
struct QuakeFeature {
    /// A defect that makes a feature unreadable.
    enum Defect: CaseIterable {
        case noId, noTime, textForTime, shortCoordinates, nullCoordinates, noGeometry, impossibleLatitude
    }

    var id: String
    var network: String
    var time: Date
    var updated: Date
    var magnitude: Double?
    var place: String?
    var longitude: Double
    var latitude: Double
    var depth: Double
    var defect: Defect?

    var json: String {
        let magnitudeText = magnitude.map { "\($0.rounded(toPlaces: 2))" } ?? "null"
        let placeText = place.map(\.quoted) ?? "null"
        let title = "M \(magnitude?.rounded(toPlaces: 1) ?? 0) - \(place ?? "")"
        let significance = Int(max(0, magnitude ?? 0) * max(0, magnitude ?? 0) * 15)
        return """
            {"type":"Feature","properties":{"mag":\(magnitudeText),"place":\(placeText),"time":\(timeText),\
            "updated":\(updated.milliseconds),"tz":null,"url":"https://quakes.example.com/events/\(id)",\
            "detail":"https://quakes.example.com/events/\(id).geojson","felt":null,"cdi":null,"mmi":null,"alert":null,\
            "status":"reviewed","tsunami":0,"sig":\(significance),"net":"\(network)","code":"\(id.dropFirst(2))",\
            "ids":",\(id),","sources":",\(network),","types":",origin,phase-data,","nst":\(significance % 90),\
            "dmin":0.08,"rms":0.17,"gap":71,"magType":"ml","type":"earthquake","title":\(title.quoted)}\
            \(geometryText)\(defect == .noId ? "" : ",\"id\":\"\(id)\"")}
            """
    }

    private var timeText: String {
        switch defect {
        case .noTime: "null"
        case .textForTime: "\"yesterday\""
        default: "\(time.milliseconds)"
        }
    }

    private var geometryText: String {
        let (x, y) = (longitude.rounded(toPlaces: 4), latitude.rounded(toPlaces: 4))
        let coordinates =
            switch defect {
            case .noGeometry: Optional<String>.none
            case .nullCoordinates: "null"
            case .shortCoordinates: "[\(x)]"
            case .impossibleLatitude: "[\(x),\(y + 1_000),10]"
            default: "[\(x),\(y),\(depth.rounded(toPlaces: 2))]"
            }
        return coordinates.map { ",\"geometry\":{\"type\":\"Point\",\"coordinates\":\($0)}" } ?? ",\"geometry\":null"
    }
}

extension Date {
    var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }
}

extension Double {
    fileprivate func rounded(toPlaces places: Int) -> Double {
        let factor = places == 1 ? 10.0 : places == 2 ? 100.0 : 10_000.0
        return (self * factor).rounded() / factor
    }
}

extension String {
    /// The text as a JSON string.
    fileprivate var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
