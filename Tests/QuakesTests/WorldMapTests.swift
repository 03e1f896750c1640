import Fixtures
import Presentation
import Testing

@testable import Quakes

struct WorldMapTests {
    private let projection = MapProjection()

    @Test("The middle of the map is where the equator meets the meridian of Greenwich")
    func middle() {
        #expect(projection.point(longitude: 0, latitude: 0) == .init(180, 90))
    }

    @Test("The poles are the upper and the lower edge, at every longitude", arguments: [-180.0, -60, 0, 180])
    func poles(longitude: Double) {
        #expect(projection.point(longitude: longitude, latitude: 90).y == 0)
        #expect(projection.point(longitude: longitude, latitude: -90).y == 180)
        #expect(projection.point(longitude: longitude, latitude: 91).y == 0)
    }

    @Test("A point at the antimeridian is drawn on both edges")
    func antimeridian() {
        let east = projection.points(longitude: 180, latitude: 10, radius: 0)
        let west = projection.points(longitude: -180, latitude: 10, radius: 0)
        #expect(Set(east) == [.init(0, 80), .init(360, 80)])
        #expect(Set(west) == Set(east))
        #expect(Set(projection.points(longitude: 179, latitude: 10, radius: 3)) == [.init(359, 80), .init(-1, 80)])
        #expect(projection.points(longitude: 170, latitude: 10, radius: 3) == [.init(350, 80)])
    }

    @Test("Longitudes beyond 180 degrees wrap around")
    func wrapped() {
        #expect(projection.point(longitude: 190, latitude: 0) == projection.point(longitude: -170, latitude: 0))
        #expect(projection.point(longitude: -190, latitude: 0) == projection.point(longitude: 170, latitude: 0))
    }

    @Test("The same place from either side of the antimeridian gives the same picture")
    func bothSides() {
        let pictures = [180.0, -180].map { longitude in
            lines(of: WorldMap().picture(of: [.fixture(magnitude: 6.5, longitude: longitude)], selected: nil))
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test("The larger the quake, the more dots, and the colour follows the magnitude")
    func sizes() {
        let marks = Quake.samples.map { quake in WorldMap().picture(of: [quake], selected: nil).marks.last }
        let radii = marks.map { mark in if case let .dot(_, radius)? = mark?.shape { radius } else { -1.0 } }
        #expect(radii == radii.sorted())
        #expect(Set(radii).count == 5)
        #expect(marks.map { $0?.tone } == [.success, .success, .success, .warning, .warning, .error, .error, .error])
    }

    @Test("The selected quake is drawn last, with a ring around it")
    func selected() {
        let picture = WorldMap().picture(of: Quake.samples, selected: .small)
        #expect(picture.marks.suffix(2).map(\.tone) == [.highlight, .highlight])
        #expect(picture.label == "A map of the world with 8 quakes, 31 km SSE of Volcano, Hawaii selected")
        let without = WorldMap().picture(of: Quake.samples, selected: nil)
        #expect(!without.marks.contains { $0.tone == .highlight })
    }

    @Test("Each point of the coasts is on the map, and no line runs across it")
    func coasts() {
        #expect(CoastLines.all.count > 30)
        for line in CoastLines.all {
            #expect(line.count > 3)
            #expect(line.allSatisfy { -180...180 ~= $0.longitude && -90...90 ~= $0.latitude })
            #expect(zip(line, line.dropFirst()).allSatisfy { abs($0.longitude - $1.longitude) <= 60 })
        }
    }

    private func lines(of picture: Picture) -> String {
        Screen<Never>(title: "Map", sections: [.init(rows: [.picture(picture)])]).text()
    }
}
