/// Draws a picture with braille characters, as large as fits into a number of columns and rows.
struct PictureDrawing {
    private let picture: Picture
    private let scale: Double
    private var canvas: BrailleCanvas

    /// Returns `nil` if the picture has no area, or is too small to be enlarged, or if there are no columns or rows.
    init?(_ picture: Picture, columns: Int, rows: Int) {
        guard columns > 0, rows > 0, picture.width > 0, picture.height > 0, picture.width.isFinite,
            picture.height.isFinite
        else { return nil }
        self.picture = picture
        // In most fonts the dots are as far apart vertically as horizontally.
        scale = min(Double(columns * 2) / picture.width, Double(rows * 4) / picture.height)
        guard scale.isFinite else { return nil }
        canvas = BrailleCanvas(
            columns: Self.cells(picture.width * scale, of: 2, limit: columns),
            rows: Self.cells(picture.height * scale, of: 4, limit: rows))
        for mark in picture.marks { draw(mark) }
    }

    var lines: [StyledLine] { canvas.lines }

    private static func cells(_ dots: Double, of size: Double, limit: Int) -> Int {
        max(1, min(limit, Int((dots / size).rounded(.up))))
    }

    private mutating func draw(_ mark: Picture.Mark) {
        let role = StyledLine.Role(mark.tone)
        switch mark.shape {
        case let .line(points):
            guard points.count > 1 else {
                if let point = points.first { drawDot(point, radius: 0, role) }
                return
            }
            for (from, to) in zip(points, points.dropFirst()) { drawLine(from, to, role) }
        case let .dot(center, radius): drawDot(center, radius: radius, role)
        case let .ring(center, radius): drawRing(center, radius: radius, role)
        }
    }

    // MARK: - Shapes

    /// The dot at a point. The right and the lower edge belong to the last dots.
    private func dot(_ point: Picture.Point) -> (x: Int, y: Int) {
        let x = point.x == picture.width ? canvas.width - 1 : Int((point.x * scale).rounded(.down))
        let y = point.y == picture.height ? canvas.height - 1 : Int((point.y * scale).rounded(.down))
        return (x, y)
    }

    private mutating func drawLine(_ from: Picture.Point, _ to: Picture.Point, _ role: StyledLine.Role) {
        guard let (from, to) = clipped(from, to) else { return }
        let (start, end) = (dot(from), dot(to))
        let steps = max(abs(end.x - start.x), abs(end.y - start.y))
        guard steps > 0 else { return canvas.set(start.x, start.y, role) }
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            let x = Double(start.x) + share * Double(end.x - start.x)
            let y = Double(start.y) + share * Double(end.y - start.y)
            canvas.set(Int(x.rounded()), Int(y.rounded()), role)
        }
    }

    /// The part of a line that is inside the picture (Liang–Barsky); `nil` if there is none.
    private func clipped(_ from: Picture.Point, _ to: Picture.Point) -> (Picture.Point, Picture.Point)? {
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        guard dx.isFinite, dy.isFinite else { return nil }
        var (start, end) = (0.0, 1.0)
        let edges = [(-dx, from.x), (dx, picture.width - from.x), (-dy, from.y), (dy, picture.height - from.y)]
        for (direction, distance) in edges {
            if direction == 0 {
                if distance < 0 { return nil }
            } else if direction < 0 {
                start = max(start, distance / direction)
            } else {
                end = min(end, distance / direction)
            }
        }
        guard start <= end else { return nil }
        let point = { (share: Double) in
            // Rounding could move the point outside of the picture.
            Picture.Point(
                min(max(0, from.x + share * dx), picture.width), min(max(0, from.y + share * dy), picture.height))
        }
        return (point(start), point(end))
    }

    private mutating func drawDot(_ center: Picture.Point, radius: Double, _ role: StyledLine.Role) {
        let reach = reach(of: radius)
        drawCircle(around: center, reach: reach, squares: 0...(reach * reach), role)
    }

    private mutating func drawRing(_ center: Picture.Point, radius: Double, _ role: StyledLine.Role) {
        let reach = reach(of: radius)
        let inner = reach == 0 ? 0 : reach * reach - reach + 1
        drawCircle(around: center, reach: reach, squares: inner...(reach * reach + reach), role)
    }

    /// Sets the dots whose squared distance from the center is one of `squares`.
    private mutating func drawCircle(
        around center: Picture.Point, reach: Int, squares: ClosedRange<Int>, _ role: StyledLine.Role
    ) {
        let margin = Double(reach + 1) / scale
        guard -margin...picture.width + margin ~= center.x, -margin...picture.height + margin ~= center.y else {
            return
        }
        let middle = dot(center)
        for y in (middle.y - reach..<middle.y + reach + 1).clamped(to: 0..<canvas.height) {
            for x in (middle.x - reach..<middle.x + reach + 1).clamped(to: 0..<canvas.width) {
                let (dx, dy) = (x - middle.x, y - middle.y)
                if squares ~= dx * dx + dy * dy { canvas.set(x, y, role) }
            }
        }
    }

    /// The radius in dots, limited to the size of the canvas.
    private func reach(of radius: Double) -> Int {
        guard radius > 0 else { return 0 }
        return Int(min(radius * scale, Double(canvas.width + canvas.height)).rounded())
    }
}

extension StyledLine.Role {
    fileprivate init(_ tone: Picture.Tone) {
        self =
            switch tone {
            case .faint: .faint
            case .plain: .plain
            case .accent: .accent
            case .success: .success
            case .warning: .warning
            case .error: .error
            case .highlight: .focus
            }
    }
}
