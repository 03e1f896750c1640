/// An optional value stored in a separate box, so that a type can have a property of its own type.
///
///     struct Status: Decodable {
///         let id: String
///         @Indirect var reblog: Status? = nil
///     }
///
/// It is encoded and decoded like the value itself; a missing key is `nil`.
///
/// It is inlinable, since otherwise each use would look up its type at run time.
@propertyWrapper
public struct Indirect<Wrapped> {
    // Immutable, so that copies can share it.
    @usableFromInline
    final class Box {
        @usableFromInline let value: Wrapped

        @inlinable
        init(_ value: Wrapped) { self.value = value }
    }

    @usableFromInline var box: Box?

    /// Wraps a value, or none.
    @inlinable
    public init(wrappedValue: Wrapped? = nil) { box = wrappedValue.map { Box($0) } }

    /// The value.
    @inlinable public var wrappedValue: Wrapped? {
        get { box?.value }
        set { box = newValue.map { Box($0) } }
    }
}

extension Indirect.Box: Sendable where Wrapped: Sendable {}
extension Indirect: Sendable where Wrapped: Sendable {}

extension Indirect: Equatable where Wrapped: Equatable {
    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.box === rhs.box || lhs.wrappedValue == rhs.wrappedValue
    }
}

extension Indirect: Decodable where Wrapped: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Wrapped?.self))
    }
}

extension Indirect: Encodable where Wrapped: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an indirect property; it is `nil` if its key is missing.
    public func decode<Wrapped: Decodable>(
        _ type: Indirect<Wrapped>.Type, forKey key: Key
    ) throws -> Indirect<Wrapped> {
        Indirect(wrappedValue: try decodeIfPresent(Wrapped.self, forKey: key))
    }
}
