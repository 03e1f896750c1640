import Presentation

/// The equirectangular projection: a degree of longitude or latitude has the same length everywhere on the map.
struct MapProjection: Sendable {
    let width = 360.0
    let height = 180.0

    /// The point on the map. The antimeridian is the left and the right edge; the poles are the upper and the lower
    /// edge.
    func point(longitude: Double, latitude: Double) -> Picture.Point {
        Picture.Point(wrapped(longitude) + 180, 90 - min(90, max(-90, latitude)))
    }

    /// The points at which to draw a circle: one near each edge if the circle crosses the antimeridian.
    func points(longitude: Double, latitude: Double, radius: Double) -> [Picture.Point] {
        let point = point(longitude: longitude, latitude: latitude)
        var points = [point]
        if point.x - radius <= 0 { points.append(Picture.Point(point.x + width, point.y)) }
        if point.x + radius >= width { points.append(Picture.Point(point.x - width, point.y)) }
        return points
    }

    /// The same longitude in the range from -180 to 180.
    private func wrapped(_ longitude: Double) -> Double {
        guard abs(longitude) > 180 else { return longitude }
        return longitude.remainder(dividingBy: 360)
    }
}
