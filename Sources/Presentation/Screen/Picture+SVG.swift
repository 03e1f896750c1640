extension Picture {
    /// The picture as an SVG element, for displays that show HTML.
    ///
    /// Each mark has its tone as a class, such as `faint` or `highlight`, for the rules of a style sheet. Lines and
    /// rings are drawn with `stroke`, dots with `fill`, in `currentColor` unless the style sheet says otherwise.
    public var svg: String {
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" role=\"img\" "
        text += "aria-label=\"\(label.escapedForSVG)\" fill=\"none\" stroke=\"none\">"
        for mark in marks { text += mark.svg }
        return text + "</svg>"
    }
}

extension Picture.Mark {
    /// Empty if the mark has no place in a picture.
    fileprivate var svg: String {
        let isDrawable =
            switch shape {
            case let .line(points): points.count > 1 && points.allSatisfy(\.isFinite)
            case let .dot(center, radius), let .ring(center, radius): center.isFinite && radius.isFinite
            }
        guard isDrawable else { return "" }
        switch shape {
        case let .line(points):
            let list = points.map { "\($0.x),\($0.y)" }.joined(separator: " ")
            return "<polyline class=\"\(tone)\" stroke=\"currentColor\" points=\"\(list)\"/>"
        case let .dot(center, radius):
            // A dot without a radius is the smallest one that can be seen.
            return circle(center, max(radius, 0.5), paint: "fill")
        case let .ring(center, radius):
            return circle(center, max(radius, 0.5), paint: "stroke")
        }
    }

    private func circle(_ center: Picture.Point, _ radius: Double, paint: String) -> String {
        "<circle class=\"\(tone)\" \(paint)=\"currentColor\" cx=\"\(center.x)\" cy=\"\(center.y)\" r=\"\(radius)\"/>"
    }
}

extension Picture.Point {
    fileprivate var isFinite: Bool { x.isFinite && y.isFinite }
}

extension String {
    /// The text as the value of an attribute.
    fileprivate var escapedForSVG: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
