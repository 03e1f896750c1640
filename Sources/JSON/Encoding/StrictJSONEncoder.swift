import Foundation

/// Encodes values as `JSONEncoder` does, in a fraction of its time.
///
/// ```swift
/// let body = try StrictJSONEncoder().encode(city)
/// ```
///
/// It writes the same text as a `JSONEncoder` with the same settings, for the same types, with three differences. The
/// members of an object keep the order in which they are encoded; `JSONEncoder` writes them in a random order. Coding
/// paths, such as those that a custom key strategy is given, are complete; those of `JSONEncoder` leave out the keys of
/// nested containers. A `Decimal` that is not a number is refused; `JSONEncoder` writes `NaN`, which is not JSON.
public struct StrictJSONEncoder: Sendable {
    let settings: EncodingSettings

    /// An encoder with the settings that a new `JSONEncoder` has.
    public init() { settings = EncodingSettings() }

    /// An encoder with the settings of a `JSONEncoder`.
    ///
    /// Returns `nil` if they can't be read or followed: for a subclass, which may do anything, and for strategies and formats
    /// that are newer than this package.
    public init?(settingsOf encoder: JSONEncoder) {
        guard let settings = EncodingSettings(of: encoder) else { return nil }
        self.settings = settings
    }

    /// An encoder that sorts keys, and writes these strings in place of infinity and NaN.
    package static func sortingKeys(
        isPretty: Bool = false, escapesSlashes: Bool = false, floats: FloatNames? = nil
    ) -> Self {
        var settings = EncodingSettings()
        settings.format = EncodingSettings.Format(isPretty: isPretty, sortsKeys: true, escapesSlashes: escapesSlashes)
        settings.floats = floats
        return Self(settings)
    }

    private init(_ settings: EncodingSettings) { self.settings = settings }

    /// Encodes a value with the settings of a `JSONEncoder`, or with that encoder itself if they can't be followed.
    public static func encode<Value: Encodable>(_ value: Value, settingsOf encoder: JSONEncoder) throws -> Data {
        if let strict = StrictJSONEncoder(settingsOf: encoder) { return try strict.encode(value) }
        return try encoder.encode(value)
    }

    /// Encodes a value; throws what the type throws, or an `EncodingError`.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        try encode(value) { try $0.encodeOwn(value) }
    }

    /// Encodes a value with a configuration.
    public func encode<Value: EncodableWithConfiguration>(
        _ value: Value, configuration: Value.EncodingConfiguration
    ) throws -> Data {
        try encode(value) { try value.encode(to: $0, configuration: configuration) }
    }

    private func encode<Value>(_ value: Value, _ body: (ValueEncoder) throws -> Void) throws -> Data {
        let tree = EncodedTree()
        try body(ValueEncoder(EncodingContext(tree, settings), node: EncodedTree.root))
        guard tree[EncodedTree.root].kind != .nothing else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "Top-level \(Value.self) did not encode any values."))
        }
        guard let data = TreeWriter.data(tree, settings.format) else {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: [],
                    debugDescription: "Unable to encode the given top-level value to JSON: it is nested too deep."))
        }
        return data
    }
}
