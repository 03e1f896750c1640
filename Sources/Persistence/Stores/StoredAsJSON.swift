import Foundation
import JSON

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
/// Equal values must have the same JSON. A `Set` has its elements in any order, so do not keep one in such a value. The number -0.0 is
/// written as 0, and NaN within a value is equal to NaN. A text that other programs have written, with spaces for example, can be
/// read; conditions find it only if it is the text that the value would have here.
///
/// If `encode(to:)` throws, the write fails with ``StoreError/constraint(reason:)``, except in a ``MemoryStore``, which encodes nothing.
public protocol StoredAsJSON: Primitive, Codable {}

extension StoredAsJSON {
    public static var kind: PrimitiveKind { .text }

    public var primitiveValue: PrimitiveValue {
        do {
            return .text(CanonicalJSON.text(of: try JSONText.encoder.encode(self)))
        } catch {
            return .unencodable(reason: "\(Self.self): \(error.reason)")
        }
    }

    public init?(primitiveValue: PrimitiveValue) {
        guard case .text(let text) = primitiveValue else { return nil }
        guard let value = try? JSONText.decoder.decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}

extension Array: Sortable, Primitive, StoredAsJSON where Element: Primitive & Codable {}

extension Dictionary: Sortable, Primitive, StoredAsJSON where Key == String, Value: Primitive & Codable {}

/// The form of the JSON in columns.
private enum JSONText {
    static let encoder = StrictJSONEncoder.sortingKeys(floats: floats)
    static let decoder = StrictJSONDecoder(floats: floats)

    /// The texts for numbers that JSON does not have.
    private static let floats = FloatNames(infinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
}

extension Error {
    /// The reason of an error of encoding, with the place of the value.
    fileprivate var reason: String {
        guard case .invalidValue(_, let context)? = self as? EncodingError else { return "\(self)" }
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return (place.isEmpty ? "" : "\(place): ") + context.debugDescription
    }
}
