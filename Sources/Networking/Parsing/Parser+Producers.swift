import Feedback
import Foundation

/// The functions of the parser as producers, which do the work anew at each start.
///
/// ```swift
/// let cities: SignalProducer<[City], CoreError> = Parser.parse(data, key: "cities", strategy: .prune)
/// ```
///
/// The compiler chooses the form that returns a `Result`, unless the context asks for a producer.
extension Parser {
    /// Decodes a value when it is started.
    @_disfavoredOverload
    public static func parse<Value: Decodable & Sendable>(_ data: Data) -> SignalProducer<Value, CoreError> {
        SignalProducer { () -> Result<Value, CoreError> in parse(data) }
    }

    /// Decodes a value with a decoder when it is started.
    @_disfavoredOverload
    public static func parse<Value: Decodable & Sendable>(
        _ data: Data, decoder: JSONDecoder
    ) -> SignalProducer<Value, CoreError> {
        SignalProducer { () -> Result<Value, CoreError> in parse(data, decoder: decoder) }
    }

    /// Decodes the value under a key when it is started.
    @_disfavoredOverload
    public static func parse<Value: Decodable & Sendable>(
        _ data: Data, key: String, decoder: JSONDecoder? = nil
    ) -> SignalProducer<Value, CoreError> {
        SignalProducer { () -> Result<Value, CoreError> in parse(data, key: key, decoder: decoder) }
    }

    /// Decodes the list under a key when it is started; `strategy` says what happens to elements that cannot be
    /// decoded.
    @_disfavoredOverload
    public static func parse<Element: Decodable & Sendable>(
        _ data: Data, key: String, strategy: Strategy, decoder: JSONDecoder? = nil,
        onSkip: (@Sendable (SkippedElement) -> Void)? = nil
    ) -> SignalProducer<[Element], CoreError> {
        SignalProducer { () -> Result<[Element], CoreError> in
            parse(data, key: key, strategy: strategy, decoder: decoder, onSkip: onSkip)
        }
    }

    /// Decodes a list when it is started; `strategy` says what happens to elements that cannot be decoded.
    @_disfavoredOverload
    public static func parse<Element: Decodable & Sendable>(
        _ data: Data, strategy: Strategy, decoder: JSONDecoder? = nil,
        onSkip: (@Sendable (SkippedElement) -> Void)? = nil
    ) -> SignalProducer<[Element], CoreError> {
        SignalProducer { () -> Result<[Element], CoreError> in
            parse(data, strategy: strategy, decoder: decoder, onSkip: onSkip)
        }
    }

    /// Encodes a value when it is started.
    @_disfavoredOverload
    public static func encode<Value: Encodable & Sendable>(_ value: Value) -> SignalProducer<Data, CoreError> {
        SignalProducer { () -> Result<Data, CoreError> in encode(value) }
    }

    /// Encodes a value with an encoder when it is started.
    @_disfavoredOverload
    public static func encode<Value: Encodable & Sendable>(
        _ value: Value, encoder: JSONEncoder
    ) -> SignalProducer<Data, CoreError> {
        SignalProducer { () -> Result<Data, CoreError> in encode(value, encoder: encoder) }
    }
}
