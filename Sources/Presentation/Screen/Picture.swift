/// A drawing made of lines and dots, as a value: a terminal draws it with braille characters, a browser as SVG.
///
/// ```swift
/// Picture(
///     "The way home", width: 100, height: 50,
///     marks: [.line([.init(0, 50), .init(100, 0)], .faint), .dot(.init(50, 25), radius: 3, .accent)])
/// ```
///
/// Points are given in the picture's own units, counted from its top left corner. Marks are drawn in order, later ones
/// over earlier ones. Whatever lies outside of the picture is cut off. A display keeps the proportions; a terminal draws a
/// picture as large as 80 by 24 characters allow, so a wide picture takes fewer lines.
public struct Picture: Equatable, Sendable {
    /// A description of the picture, for people who cannot see it.
    public var label: String
    /// The width, in the picture's own units.
    public var width: Double
    /// The height, in the picture's own units.
    public var height: Double
    /// The marks, from the lowest to the one on top.
    public var marks: [Mark]

    /// Makes a picture of a size.
    public init(_ label: String, width: Double, height: Double, marks: [Mark] = []) {
        self.label = label
        self.width = width
        self.height = height
        self.marks = marks
    }

    /// A point in a picture.
    public struct Point: Hashable, Sendable {
        /// The distance from the left edge.
        public var x: Double
        /// The distance from the top edge.
        public var y: Double

        /// Makes a point of its distances from the left and the top edge.
        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// A shape and its tone.
    public struct Mark: Hashable, Sendable {
        /// The shape.
        public var shape: Shape
        /// The meaning, from which the colour follows.
        public var tone: Tone

        /// Makes a mark.
        public init(_ shape: Shape, _ tone: Tone) {
            self.shape = shape
            self.tone = tone
        }
    }

    /// The shapes of marks.
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
        /// The meaning of a mark, from hardly visible to alarming.
        case faint, plain, accent, success, warning, error
        /// The one mark that a person should see first.
        case highlight
    }
}

extension Picture.Mark {
    /// Points joined by straight lines.
    public static func line(_ points: [Picture.Point], _ tone: Picture.Tone = .plain) -> Self {
        Self(.line(points), tone)
    }

    /// A filled circle.
    public static func dot(_ center: Picture.Point, radius: Double = 0, _ tone: Picture.Tone = .plain) -> Self {
        Self(.dot(center, radius: radius), tone)
    }

    /// The outline of a circle.
    public static func ring(_ center: Picture.Point, radius: Double, _ tone: Picture.Tone = .plain) -> Self {
        Self(.ring(center, radius: radius), tone)
    }
}
