import Foundation

/// Turns bodies into values and values into bodies, with a ``CoreError`` that says where and why it failed.
///
/// ```swift
/// let cities: Result<[City], CoreError> = Parser.parse(data, key: "data.cities", strategy: .prune)
/// ```
///
/// A body is decoded in one go, also under a key: nothing is decoded to be encoded again. What is no strict JSON is
/// refused: a byte order mark, another encoding than UTF-8, a key that stands twice in one object.
public enum Parser {
    /// What becomes of a list when one of its elements does not decode.
    public enum Strategy: Sendable {
        /// The whole list fails, with the coding path of the first element that does not decode.
        case strict
        /// The element is left out and reported; the others keep their order.
        case prune
    }

    // MARK: - Parsing

    /// Decodes the whole body.
    public static func parse<Value: Decodable>(_ data: Data) -> Result<Value, CoreError> {
        parse(data, decoder: defaultDecoder)
    }

    /// Decodes the whole body with a decoder of your own.
    public static func parse<Value: Decodable>(_ data: Data, decoder: JSONDecoder) -> Result<Value, CoreError> {
        decode(data, decoder) { try decoder.decode(Value.self, from: data) }
    }

    /// Decodes the value under a key, or under a path of keys such as `"data.city"`.
    public static func parse<Value: Decodable>(
        _ data: Data, key: String, decoder: JSONDecoder? = nil
    ) -> Result<Value, CoreError> {
        let decoder = decoder ?? defaultDecoder
        return decode(data, decoder) {
            try decoder.decode(Keyed<Value>.self, from: data, configuration: KeyPathComponents(key)).value
        }
    }

    /// Decodes a list under a key, or under a path of keys such as `"data.cities"`.
    ///
    /// - Parameters:
    ///   - strategy: Whether one bad element fails the list or is left out.
    ///   - onSkip: Is told of each element that was left out, in order. (``observingSkips(_:during:)`` hears them too.)
    public static func parse<Element: Decodable>(
        _ data: Data, key: String, strategy: Strategy, decoder: JSONDecoder? = nil,
        onSkip: (@Sendable (SkippedElement) -> Void)? = nil
    ) -> Result<[Element], CoreError> {
        switch strategy {
        case .strict:
            parse(data, key: key, decoder: decoder)
        case .prune:
            reportingSkips(to: onSkip) { parse(data, key: key, decoder: decoder).map(\Pruned.wrappedValue) }
        }
    }

    /// Decodes a body that is a list.
    public static func parse<Element: Decodable>(
        _ data: Data, strategy: Strategy, decoder: JSONDecoder? = nil,
        onSkip: (@Sendable (SkippedElement) -> Void)? = nil
    ) -> Result<[Element], CoreError> {
        let decoder = decoder ?? defaultDecoder
        switch strategy {
        case .strict:
            return parse(data, decoder: decoder)
        case .prune:
            return reportingSkips(to: onSkip) { parse(data, decoder: decoder).map(\Pruned.wrappedValue) }
        }
    }

    // MARK: - Encoding

    /// Encodes a value as a body.
    public static func encode<Value: Encodable>(_ value: Value) -> Result<Data, CoreError> {
        encode(value, encoder: JSONEncoder())
    }

    /// Encodes a value as a body with an encoder of your own.
    public static func encode<Value: Encodable>(_ value: Value, encoder: JSONEncoder) -> Result<Data, CoreError> {
        do {
            return .success(try encoder.encode(value))
        } catch EncodingError.invalidValue(_, let context) {
            return .failure(
                .encoding(EncodingFailure(path: context.codingPath.dotted, reason: context.debugDescription)))
        } catch {
            return .failure(.encoding(EncodingFailure(reason: "\(error)")))
        }
    }

    // MARK: - Machinery

    /// Never changed after it was made, which is what makes sharing it safe.
    private static let defaultDecoder = JSONDecoder()

    private static func decode<Value>(
        _ data: Data, _ decoder: JSONDecoder, _ body: () throws -> Value
    ) -> Result<Value, CoreError> {
        // What a lenient decoder is told to accept is not checked by the strict grammar.
        let isStrict = !decoder.allowsJSON5 && !decoder.assumesTopLevelDictionary
        if isStrict, let fault = JSONCheck.fault(in: data) {
            return .failure(.parsing(ParsingFailure(reason: fault.described(in: data))))
        }
        do {
            return .success(try body())
        } catch {
            return .failure(.parsing(ParsingFailure(error, in: data)))
        }
    }
}
