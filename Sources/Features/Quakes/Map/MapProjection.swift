import Presentation

/// Lays the earth out flat: degrees of longitude and latitude are steps of the same length everywhere.
struct MapProjection: Sendable {
    let width = 360.0
    let height = 180.0

    /// The place on the map. The antimeridian is the left edge and the right one, the poles are the upper and the lower
    /// one.
    func point(longitude: Double, latitude: Double) -> Picture.Point {
        Picture.Point(wrapped(longitude) + 180, 90 - min(90, max(-90, latitude)))
    }

    /// The places at which something of that size is to be drawn: on both edges if it lies across the antimeridian.
    func points(longitude: Double, latitude: Double, radius: Double) -> [Picture.Point] {
        let point = point(longitude: longitude, latitude: latitude)
        var points = [point]
        if point.x - radius <= 0 { points.append(Picture.Point(point.x + width, point.y)) }
        if point.x + radius >= width { points.append(Picture.Point(point.x - width, point.y)) }
        return points
    }

    /// The longitude from -180 to 180. Both ends stay what they are.
    private func wrapped(_ longitude: Double) -> Double {
        guard abs(longitude) > 180 else { return longitude }
        return longitude.remainder(dividingBy: 360)
    }
}
