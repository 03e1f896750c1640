import Foundation

/// The way in which values of a type are encoded or decoded.
enum TypeHandling: UInt8 {
    /// By the type's own `init(from:)` or `encode(to:)`.
    case byType
    case date, data, url, decimal
    case strings, integers, doubles
    /// Any other array, while it is decoded.
    case list
    /// A dictionary with `String` keys, which no key strategy converts, while it is decoded.
    case dictionary

    /// The handling of a type that the engine knows; `nil` for any other type.
    init?<Value>(of type: Value.Type) {
        if type == Date.self {
            self = .date
        } else if type == Data.self {
            self = .data
        } else if type == URL.self {
            self = .url
        } else if type == Decimal.self {
            self = .decimal
        } else if type == [String].self {
            self = .strings
        } else if type == [Int].self {
            self = .integers
        } else if type == [Double].self {
            self = .doubles
        } else {
            return nil
        }
    }
}
