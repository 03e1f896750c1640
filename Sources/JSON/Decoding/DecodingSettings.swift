import Foundation

/// The settings of a `JSONDecoder`, read once.
struct DecodingSettings: Sendable {
    enum Dates: Sendable {
        case deferred
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    enum Bytes: Sendable {
        case deferred
        case base64
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    enum Keys: Sendable {
        case asSent
        case camelCased
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    var dates: Dates
    var bytes: Bytes
    var keys: Keys
    var floats: FloatNames?
    var userInfo: [CodingUserInfoKey: any Sendable]

    /// The settings of a new `JSONDecoder`.
    init() {
        (dates, bytes, keys, userInfo) = (.deferred, .base64, .asSent, [:])
    }

    /// Returns `nil` if this package can't follow the decoder's settings, and the decoder itself has to be used.
    init?(of decoder: JSONDecoder) {
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary else {
            return nil
        }
        // Tested one by one, so that a strategy which a later Foundation adds is not taken for another.
        let dateStrategy = decoder.dateDecodingStrategy
        if case .deferredToDate = dateStrategy {
            dates = .deferred
        } else if case .secondsSince1970 = dateStrategy {
            dates = .secondsSince1970
        } else if case .millisecondsSince1970 = dateStrategy {
            dates = .millisecondsSince1970
        } else if case .iso8601 = dateStrategy {
            dates = .iso8601
        } else if case .custom(let decode) = dateStrategy {
            dates = .custom(decode)
        } else {
            return nil
        }
        let dataStrategy = decoder.dataDecodingStrategy
        if case .base64 = dataStrategy {
            bytes = .base64
        } else if case .deferredToData = dataStrategy {
            bytes = .deferred
        } else if case .custom(let decode) = dataStrategy {
            bytes = .custom(decode)
        } else {
            return nil
        }
        let keyStrategy = decoder.keyDecodingStrategy
        if case .useDefaultKeys = keyStrategy {
            keys = .asSent
        } else if case .convertFromSnakeCase = keyStrategy {
            keys = .camelCased
        } else if case .custom(let convert) = keyStrategy {
            keys = .custom(convert)
        } else {
            return nil
        }
        let floatStrategy = decoder.nonConformingFloatDecodingStrategy
        if case .convertFromString(let infinity, let negativeInfinity, let nan) = floatStrategy {
            floats = FloatNames(infinity: infinity, negativeInfinity: negativeInfinity, nan: nan)
        } else if case .throw = floatStrategy {
            floats = nil
        } else {
            return nil
        }
        userInfo = decoder.userInfo
    }
}
