import Presentation

/// A map of the world with quakes.
struct WorldMap: Sendable {
    private let projection = MapProjection()

    /// Draws large quakes over small ones, and the selected one over all others.
    func picture(of quakes: [Quake], selected: Quake?) -> Picture {
        var marks = Self.coasts
        marks.reserveCapacity(marks.count + quakes.count + 4)
        // Sorting in steps of one magnitude is enough, and takes linear time.
        var bySize = Array(repeating: [Picture.Mark](), count: 10)
        for quake in quakes where quake.id != selected?.id {
            let radius = radius(of: quake)
            for point in points(of: quake, radius: radius) {
                bySize[size(of: quake)].append(.dot(point, radius: radius, tone(of: quake)))
            }
        }
        marks += bySize.joined()
        if let selected {
            let radius = radius(of: selected)
            for point in points(of: selected, radius: radius + 6) {
                marks.append(.ring(point, radius: radius + 6, .highlight))
                marks.append(.dot(point, radius: radius, .highlight))
            }
        }
        return Picture(
            label(of: quakes, selected: selected), width: projection.width, height: projection.height, marks: marks)
    }

    private func label(of quakes: [Quake], selected: Quake?) -> String {
        let count = quakes.count.counting("quake", "quakes")
        guard let selected else { return "A map of the world with \(count)" }
        return "A map of the world with \(count), \(selected.title) selected"
    }

    private func points(of quake: Quake, radius: Double) -> [Picture.Point] {
        projection.points(longitude: quake.longitude, latitude: quake.latitude, radius: radius)
    }

    // MARK: - Looks

    private func size(of quake: Quake) -> Int { Int(min(9, max(0, quake.magnitude))) }

    /// The radius of a quake's dot, in degrees.
    private func radius(of quake: Quake) -> Double {
        switch quake.magnitude {
        case ..<3: 0
        case ..<5: 1.5
        case ..<6: 3
        case ..<7: 4.5
        default: 6
        }
    }

    private func tone(of quake: Quake) -> Picture.Tone {
        switch quake.magnitude {
        case ..<3: .success
        case ..<5: .warning
        default: .error
        }
    }

    private static let coasts: [Picture.Mark] = {
        let projection = MapProjection()
        return CoastLines.all.map { line in
            .line(line.map { projection.point(longitude: $0.longitude, latitude: $0.latitude) }, .faint)
        }
    }()
}

extension Quake {
    /// The name, or a substitute if the feed has none.
    var title: String { name.isEmpty ? "Unnamed place" : name }
}
