import Foundation

/// The settings of a `JSONEncoder`, read once.
struct EncodingSettings: Sendable {
    enum Dates: Sendable {
        case deferred
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case custom(@Sendable (Date, any Encoder) throws -> Void)
    }

    enum Bytes: Sendable {
        case deferred
        case base64
        case custom(@Sendable (Data, any Encoder) throws -> Void)
    }

    enum Keys: Sendable {
        case asNamed
        case snakeCased
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    struct Format: Sendable {
        var isPretty = false
        var sortsKeys = false
        var escapesSlashes = true
    }

    var dates: Dates
    var bytes: Bytes
    var keys: Keys
    var floats: FloatNames?
    var format: Format
    var userInfo: [CodingUserInfoKey: any Sendable]

    /// The settings of a new `JSONEncoder`.
    init() {
        (dates, bytes, keys, format, userInfo) = (.deferred, .base64, .asNamed, Format(), [:])
    }

    /// Returns `nil` if this package can't follow the encoder's settings, and the encoder itself has to be used.
    init?(of encoder: JSONEncoder) {
        guard type(of: encoder) == JSONEncoder.self else { return nil }
        let formatting = encoder.outputFormatting
        guard formatting.subtracting([.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]).isEmpty else { return nil }
        format = Format(
            isPretty: formatting.contains(.prettyPrinted), sortsKeys: formatting.contains(.sortedKeys),
            escapesSlashes: !formatting.contains(.withoutEscapingSlashes))
        // Tested one by one, so that a strategy which a later Foundation adds is not taken for another.
        let dateStrategy = encoder.dateEncodingStrategy
        if case .deferredToDate = dateStrategy {
            dates = .deferred
        } else if case .secondsSince1970 = dateStrategy {
            dates = .secondsSince1970
        } else if case .millisecondsSince1970 = dateStrategy {
            dates = .millisecondsSince1970
        } else if case .iso8601 = dateStrategy {
            dates = .iso8601
        } else if case .custom(let encode) = dateStrategy {
            dates = .custom(encode)
        } else {
            return nil
        }
        let dataStrategy = encoder.dataEncodingStrategy
        if case .base64 = dataStrategy {
            bytes = .base64
        } else if case .deferredToData = dataStrategy {
            bytes = .deferred
        } else if case .custom(let encode) = dataStrategy {
            bytes = .custom(encode)
        } else {
            return nil
        }
        let keyStrategy = encoder.keyEncodingStrategy
        if case .useDefaultKeys = keyStrategy {
            keys = .asNamed
        } else if case .convertToSnakeCase = keyStrategy {
            keys = .snakeCased
        } else if case .custom(let convert) = keyStrategy {
            keys = .custom(convert)
        } else {
            return nil
        }
        let floatStrategy = encoder.nonConformingFloatEncodingStrategy
        if case .convertToString(let infinity, let negativeInfinity, let nan) = floatStrategy {
            floats = FloatNames(infinity: infinity, negativeInfinity: negativeInfinity, nan: nan)
        } else if case .throw = floatStrategy {
            floats = nil
        } else {
            return nil
        }
        userInfo = encoder.userInfo
    }
}
