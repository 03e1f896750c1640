/// A drawing made of lines and dots, as a value: a terminal draws it with braille characters, a browser as SVG.
///
/// ```swift
/// Picture(
///     "The way home", width: 100, height: 50,
///     marks: [.line([.init(0, 50), .init(100, 0)], .faint), .dot(.init(50, 25), radius: 3, .accent)])
/// ```
///
/// Points are given in the picture's own units, counted from its top left corner. Marks are drawn in order, later ones
/// over earlier ones. Whatever lies outside of the picture is cut off.
public struct Picture: Equatable, Sendable {
    /// A description of the picture, for people who cannot see it.
    public var label: String
    public var width: Double
    public var height: Double
    public var marks: [Mark]

    public init(_ label: String, width: Double, height: Double, marks: [Mark] = []) {
        self.label = label
        self.width = width
        self.height = height
        self.marks = marks
    }

    /// A point in a picture.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// A shape and its tone.
    public struct Mark: Hashable, Sendable {
        public var shape: Shape
        public var tone: Tone

        public init(_ shape: Shape, _ tone: Tone) {
            self.shape = shape
            self.tone = tone
        }
    }

    public enum Shape: Hashable, Sendable {
        /// The points joined by straight lines.
        case line([Point])
        /// A filled circle.
        case dot(Point, radius: Double)
        /// The outline of a circle.
        case ring(Point, radius: Double)
    }

    /// The meaning of a mark; its colour follows from it.
    public enum Tone: Hashable, Sendable, CaseIterable {
        case faint, plain, accent, success, warning, error
        /// The one mark that a person should see first.
        case highlight
    }
}

extension Picture.Mark {
    public static func line(_ points: [Picture.Point], _ tone: Picture.Tone = .plain) -> Self {
        Self(.line(points), tone)
    }

    public static func dot(_ center: Picture.Point, radius: Double = 0, _ tone: Picture.Tone = .plain) -> Self {
        Self(.dot(center, radius: radius), tone)
    }

    public static func ring(_ center: Picture.Point, radius: Double, _ tone: Picture.Tone = .plain) -> Self {
        Self(.ring(center, radius: radius), tone)
    }
}
