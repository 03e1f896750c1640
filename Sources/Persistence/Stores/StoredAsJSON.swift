import Foundation

/// A value of several parts that a store keeps in one column, as the text of its JSON.
///
///     struct Address: Codable, Hashable, StoredAsJSON {
///         var street: String
///         var city: String
///     }
///
///     struct Cinema: Identifiable {
///         var id: Int
///         var address: Address
///         var tags: [String]
///
///         static let schema = Schema<Cinema>(
///             "cinemas", Cinema.init, Column("id", \.id), Column("address", \.address), Column("tags", \.tags))
///     }
///
/// Arrays of primitives, and dictionaries whose keys are texts, are stored in this way without a declaration.
///
/// Conditions compare the value as a whole: `\.address == home`. To search within it, keep that part in a column of its own, or use
/// SQL. A column whose text is not the JSON of a value fails with ``StoreError/unreadable(table:id:column:found:)``; so let
/// `init(from:)` accept what earlier versions of the type have written, for example by making a new property optional.
///
/// Equal values must have the same JSON. A `Set` has its elements in any order, and -0.0 is not written as 0.0, so keep neither in
/// such a value. A value whose `encode(to:)` throws is stored as NULL: a column that is not optional refuses it, and an optional one
/// is nil when it is read.
public protocol StoredAsJSON: Primitive, Codable {}

extension StoredAsJSON {
    public static var kind: PrimitiveKind { .text }

    public var primitiveValue: PrimitiveValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: JSONText.infinity, negativeInfinity: JSONText.negativeInfinity, nan: JSONText.nan)
        guard let data = try? encoder.encode(self) else { return .null }
        return .text(String(decoding: data, as: UTF8.self))
    }

    public init?(primitiveValue: PrimitiveValue) {
        guard case .text(let text) = primitiveValue else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: JSONText.infinity, negativeInfinity: JSONText.negativeInfinity, nan: JSONText.nan)
        guard let value = try? decoder.decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}

extension Array: Sortable, Primitive, StoredAsJSON where Element: Primitive & Codable {}

extension Dictionary: Sortable, Primitive, StoredAsJSON where Key == String, Value: Primitive & Codable {}

/// The texts for numbers that JSON does not have.
private enum JSONText {
    static let infinity = "Infinity"
    static let negativeInfinity = "-Infinity"
    static let nan = "NaN"
}
