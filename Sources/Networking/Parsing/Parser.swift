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
        result(of: data) {
            guard let decoder = decoder ?? sessionDecoder else {
                return try StrictJSONDecoder().decode(Value.self, from: data)
            }
            return try StrictJSONDecoder.decode(Value.self, from: data, settingsOf: decoder)
        }
    }

    /// Decodes the value under a key, or under a path of keys such as `"data.city"`.
    public static func parse<Value: Decodable>(
        _ data: Data, key: String, decoder: JSONDecoder? = nil
    ) -> Result<Value, CoreError> {
        let path = KeyPathComponents(key)
        return result(of: data) {
            guard let decoder = decoder ?? sessionDecoder else {
                return try StrictJSONDecoder().decode(Keyed<Value>.self, from: data, configuration: path).value
            }
            return try StrictJSONDecoder.decode(
                Keyed<Value>.self, from: data, configuration: path, settingsOf: decoder
            ).value
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
        encode(value) { try StrictJSONEncoder.encode($0, settingsOf: encoder) }
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

    /// Returns what a body decodes to, or the reason why it does not.
    private static func result<Value>(of data: Data, _ decode: () throws -> Value) -> Result<Value, CoreError> {
        do {
            return .success(try decode())
        } catch {
            return .failure(.parsing(ParsingFailure(error, in: data)))
        }
    }
}
