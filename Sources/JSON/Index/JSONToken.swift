/// One word of a ``JSONIndex``.
///
/// | bits | meaning |
/// |---|---|
/// | 60…63 | the kind |
/// | 32…59 | the payload: the value of a small integer, the length in bytes of another number or of a string, or the number of words that an array or object takes |
/// | 0…31 | the offset of the first byte; of a string, the one after its quote |
///
/// An array or object has a second word: the number of its elements or members in the lower half, and for an object the
/// number of its shape in the upper half. The values of an array follow each other; a member is its key and then its value.
struct JSONToken {
    let word: UInt64

    /// The limit that every payload stays below. It bounds the size of a body, and the integers that are stored in the
    /// index itself.
    static let payloadLimit = 1 << 28

    @inline(__always)
    init(word: UInt64) { self.word = word }

    @inline(__always)
    init(_ kind: Kind, payload: Int, offset: Int) {
        word =
            UInt64(kind.rawValue) &<< 60 | UInt64(truncatingIfNeeded: payload) &<< 32
            | UInt64(UInt32(truncatingIfNeeded: offset))
    }

    @inline(__always) var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: word &>> 60)) }
    @inline(__always) var payload: Int { Int(truncatingIfNeeded: (word &>> 32) & 0xFFF_FFFF) }
    @inline(__always) var offset: Int { Int(truncatingIfNeeded: word & 0xFFFF_FFFF) }
    /// The number of words from this one to the next value.
    @inline(__always) var width: Int { word &>> 60 >= UInt64(Kind.array.rawValue) ? payload : 1 }

    struct Kind: Equatable {
        let rawValue: UInt8

        @inline(__always) static var null: Kind { Kind(rawValue: 0) }
        @inline(__always) static var no: Kind { Kind(rawValue: 1) }
        @inline(__always) static var yes: Kind { Kind(rawValue: 2) }
        /// An integer from 0 up to the payload's limit.
        @inline(__always) static var smallInteger: Kind { Kind(rawValue: 3) }
        /// An integer below 0, above the negated limit; the payload is its magnitude.
        @inline(__always) static var negativeInteger: Kind { Kind(rawValue: 4) }
        /// Any other number without a point or an exponent, and -0.
        @inline(__always) static var integer: Kind { Kind(rawValue: 5) }
        @inline(__always) static var number: Kind { Kind(rawValue: 6) }
        @inline(__always) static var asciiString: Kind { Kind(rawValue: 7) }
        /// A string without escapes that is not only ASCII.
        @inline(__always) static var unicodeString: Kind { Kind(rawValue: 8) }
        @inline(__always) static var escapedString: Kind { Kind(rawValue: 9) }
        @inline(__always) static var array: Kind { Kind(rawValue: 10) }
        @inline(__always) static var object: Kind { Kind(rawValue: 11) }

        @inline(__always) var isNumber: Bool { rawValue &- 3 < 4 }
        @inline(__always) var isString: Bool { rawValue &- 7 < 3 }

        /// The name that `JSONDecoder` uses in its errors.
        var name: String {
            switch self {
            case .null: "null"
            case .no, .yes: "bool"
            case .array: "an array"
            case .object: "a dictionary"
            default: isNumber ? "number" : "a string"
            }
        }
    }
}
