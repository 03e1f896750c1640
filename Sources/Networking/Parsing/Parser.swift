import Foundation
import JSON

/// Decodes bodies into values and encodes values into bodies; a ``CoreError`` says where and why that failed.
///
/// ```swift
/// let cities: Result<[City], CoreError> = Parser.parse(data, key: "data.cities", strategy: .prune)
/// ```
///
/// A body is read in one pass, also under a key, by `StrictJSONDecoder`. It gives the same values as `JSONDecoder`, and
/// refuses what is not strict JSON, such as a key that occurs twice in one object. If you pass a `JSONDecoder`, its
/// settings are followed. The decoder itself is used only if its settings can't be followed, for example if it is a
/// subclass or allows JSON5.
///
/// Dots separate the keys of a path, as in `"data.cities"`. A dot that is part of a key has a backslash before it:
/// `#"data.example\.com"#`.
public enum Parser {
    /// The treatment of a list when one of its elements does not decode.
    public enum Strategy: Sendable {
        /// The whole list fails, with the coding path of the first element that does not decode.
        case strict
        /// The element is left out and reported; the others keep their order.
        case prune
    }

    // MARK: - Parsing

    /// Decodes the whole body.
    public static func parse<Value: Decodable>(_ data: Data) -> Result<Value, CoreError> {
        parseBody(data, nil)
    }

    /// Decodes the whole body with a decoder of your own.
    public static func parse<Value: Decodable>(_ data: Data, decoder: JSONDecoder) -> Result<Value, CoreError> {
        parseBody(data, decoder)
    }

    private static func parseBody<Value: Decodable>(_ data: Data, _ decoder: JSONDecoder?) -> Result<Value, CoreError> {
        decode(data, decoder) {
            try $0.decode(Value.self, from: data)
        } leniently: {
            try $0.decode(Value.self, from: data)
        }
    }

    /// Decodes the value under a key, or under a path of keys such as `"data.city"`.
    public static func parse<Value: Decodable>(
        _ data: Data, key: String, decoder: JSONDecoder? = nil
    ) -> Result<Value, CoreError> {
        let path = KeyPathComponents(key)
        return decode(data, decoder) {
            try $0.decode(Keyed<Value>.self, from: data, configuration: path).value
        } leniently: {
            try $0.decode(Keyed<Value>.self, from: data, configuration: path).value
        }
    }

    /// Decodes a list under a key, or under a path of keys such as `"data.cities"`.
    ///
    /// - Parameters:
    ///   - strategy: The treatment of an element that does not decode.
    ///   - onSkip: Called with each element that was left out, in order, as are the observers of
    ///     ``observingSkips(_:during:)``.
    public static func parse<Element: Decodable>(
        _ data: Data, key: String, strategy: Strategy, decoder: JSONDecoder? = nil,
        onSkip: (@Sendable (SkippedElement) -> Void)? = nil
    ) -> Result<[Element], CoreError> {
        switch strategy {
        case .strict:
            parse(data, key: key, decoder: decoder)
        case .prune:
            reportingSkips(to: onSkip) {
                parse(data, key: key, decoder: decoder).map { (list: Pruned<Element>) in list.wrappedValue }
            }
        }
    }

    /// Decodes a body that is a list.
    public static func parse<Element: Decodable>(
        _ data: Data, strategy: Strategy, decoder: JSONDecoder? = nil,
        onSkip: (@Sendable (SkippedElement) -> Void)? = nil
    ) -> Result<[Element], CoreError> {
        switch strategy {
        case .strict:
            parseBody(data, decoder)
        case .prune:
            reportingSkips(to: onSkip) { parseBody(data, decoder).map { (list: Pruned<Element>) in list.wrappedValue } }
        }
    }

    // MARK: - Encoding

    /// Encodes a value as a body.
    public static func encode<Value: Encodable>(_ value: Value) -> Result<Data, CoreError> {
        encode(value, StrictJSONEncoder().encode)
    }

    /// Encodes a value as a body with the settings of your encoder, or with the encoder itself if they can't be
    /// followed.
    public static func encode<Value: Encodable>(_ value: Value, encoder: JSONEncoder) -> Result<Data, CoreError> {
        if let strict = StrictJSONEncoder(settingsOf: encoder) { return encode(value, strict.encode) }
        return encode(value, encoder.encode)
    }

    private static func encode<Value>(_ value: Value, _ body: (Value) throws -> Data) -> Result<Data, CoreError> {
        do {
            return .success(try body(value))
        } catch EncodingError.invalidValue(_, let context) {
            return .failure(
                .encoding(EncodingFailure(path: context.codingPath.dotted, reason: context.debugDescription)))
        } catch {
            return .failure(.encoding(EncodingFailure(reason: "\(error)")))
        }
    }

    // MARK: - Machinery

    /// The decoder of the session whose answer is being read, for resources without a decoder.
    @TaskLocal static var sessionDecoder: JSONDecoder?

    /// Decodes with the settings of a decoder, or with the decoder itself if they can't be followed.
    private static func decode<Value>(
        _ data: Data, _ decoder: JSONDecoder?, strictly: (StrictJSONDecoder) throws -> Value,
        leniently: (JSONDecoder) throws -> Value
    ) -> Result<Value, CoreError> {
        do {
            guard let decoder = decoder ?? sessionDecoder else { return .success(try strictly(StrictJSONDecoder())) }
            if let strict = StrictJSONDecoder(settingsOf: decoder) { return .success(try strictly(strict)) }
            // The body is checked against the strict grammar, unless the decoder is set to accept more.
            if !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary { try JSONIndex.read(data) { _ in } }
            return .success(try leniently(decoder))
        } catch {
            return .failure(.parsing(ParsingFailure(error, in: data)))
        }
    }
}
