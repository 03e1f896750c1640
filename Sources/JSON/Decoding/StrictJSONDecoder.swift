import Foundation

/// Decodes values from JSON as `JSONDecoder` does, several times faster, and refuses what is not JSON.
///
/// ```swift
/// let cities = try StrictJSONDecoder().decode([City].self, from: body)
/// ```
///
/// It gives the same values as a `JSONDecoder` with the same settings, for the same types. `JSONDecoder` accepts the
/// following; this decoder refuses it with a ``JSONFault`` that says what is wrong and where:
///
/// - a key that occurs twice in one object, also if the two differ only by an escape or are canonically equivalent;
/// - a byte order mark, and any encoding but UTF-8;
/// - a comma after the last element of an array or the last member of an object;
/// - a malformed number, escape or UTF-8 sequence in a part of the body that the type does not read, and half of a
///   surrogate pair in a key;
/// - a body of 256 MB or more.
///
/// A type may keep a decoder or container that it was given, and use it later from one thread at a time. While the call
/// of `decode` runs, only the calling thread may use it.
public struct StrictJSONDecoder: Sendable {
    let settings: DecodingSettings

    /// A decoder with the settings that a new `JSONDecoder` has.
    public init() { settings = DecodingSettings() }

    /// A decoder with the settings of a `JSONDecoder`.
    ///
    /// Returns `nil` if they can't be read or followed: for a subclass, which may do anything, for JSON5, and for strategies
    /// that are newer than this package.
    public init?(settingsOf decoder: JSONDecoder) {
        guard let settings = DecodingSettings(of: decoder) else { return nil }
        self.settings = settings
    }

    /// A decoder that accepts these strings in place of infinity and NaN.
    package init(floats: FloatNames) {
        var settings = DecodingSettings()
        settings.floats = floats
        self.settings = settings
    }

    /// Decodes the body's value; throws a ``JSONFault`` if the body is not JSON, and otherwise what the type throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        try ValueDecoder.withRoot(of: body, settings) { try $0.own(type) }
    }

    /// Decodes the body's value with a configuration.
    public func decode<Value: DecodableWithConfiguration>(
        _ type: Value.Type, from body: Data, configuration: Value.DecodingConfiguration
    ) throws -> Value {
        try ValueDecoder.withRoot(of: body, settings) { try Value(from: $0, configuration: configuration) }
    }

    // MARK: - With a JSONDecoder

    /// Decodes the body's value with the settings of a `JSONDecoder`, or with that decoder itself if they can't be
    /// followed. The body is then checked nevertheless, unless the decoder is set to accept more than JSON.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, settingsOf decoder: JSONDecoder
    ) throws -> Value {
        if let strict = StrictJSONDecoder(settingsOf: decoder) { return try strict.decode(type, from: body) }
        try check(body, for: decoder)
        return try decoder.decode(type, from: body)
    }

    /// Decodes the body's value with a configuration and the settings of a `JSONDecoder`, or with that decoder itself if
    /// they can't be followed.
    public static func decode<Value: DecodableWithConfiguration>(
        _ type: Value.Type, from body: Data, configuration: Value.DecodingConfiguration,
        settingsOf decoder: JSONDecoder
    ) throws -> Value {
        if let strict = StrictJSONDecoder(settingsOf: decoder) {
            return try strict.decode(type, from: body, configuration: configuration)
        }
        try check(body, for: decoder)
        return try decoder.decode(type, from: body, configuration: configuration)
    }

    private static func check(_ body: Data, for decoder: JSONDecoder) throws {
        if !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary { try JSONIndex.read(body) { _ in } }
    }
}
