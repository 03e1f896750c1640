import CSQLite

/// The values of an enum that are stored as short texts, found by the bytes of these.
///
/// Most rows of such a column have one of a few texts. To compare bytes takes a fraction of the time that it takes to make
/// a `String` and to look for the case with it.
@usableFromInline
package struct KnownTexts<Value: Primitive>: Sendable {
    @usableFromInline package let entries: [(text: ShortText, value: Value)]

    /// Returns nil if the type has no list of few cases, or stores them in another way.
    @usableFromInline
    package init?() {
        guard Value.kind == .text, let type = Value.Scalar.self as? any CaseIterable.Type else { return nil }
        entries = Self.primitives(of: type).compactMap { primitiveValue in
            guard case .text(let text) = primitiveValue, let text = ShortText(text) else { return nil }
            return Value(primitiveValue: primitiveValue).map { (text, $0) }
        }
        if entries.isEmpty { return nil }
    }

    private static func primitives(of type: any CaseIterable.Type) -> [PrimitiveValue] {
        func primitives<Cases: CaseIterable>(_ type: Cases.Type) -> [PrimitiveValue] {
            // The list may be long, or have no end.
            type.allCases.prefix(16).compactMap { ($0 as? any Primitive)?.primitiveValue }
        }
        return primitives(type)
    }

    /// The value of a text that is known; nil for anything else, which may stand for a value all the same.
    @inlinable
    @inline(__always)
    func value(in column: SQLiteColumn) -> Value? {
        guard column.isText, let text = column.shortText else { return nil }
        for entry in entries where entry.text == text { return entry.value }
        return nil
    }
}

/// A text of at most 15 bytes, and their number.
@usableFromInline
package struct ShortText: Equatable, Sendable {
    @usableFromInline let words: SIMD2<UInt64>

    @inlinable
    @inline(__always)
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count < 16 else { return nil }
        var words = SIMD2<UInt64>()
        withUnsafeMutableBytes(of: &words) {
            $0.copyMemory(from: bytes)
            $0[15] = UInt8(truncatingIfNeeded: bytes.count)
        }
        self.words = words
    }

    init?(_ text: String) {
        var text = text
        guard let short = text.withUTF8({ ShortText(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = short
    }
}

extension SQLiteColumn {
    /// The text of the column, if it has at most 15 bytes.
    @inlinable
    @inline(__always)
    var shortText: ShortText? {
        // The text must be asked for before its length, since that call may convert and move it.
        let start = sqlite3_value_text(value)
        return ShortText(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }
}
