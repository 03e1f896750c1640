import Foundation

/// What all decoders of one body share: its index, the settings, and what was learnt of types and keys on the way.
final class DecodingContext {
    let index: JSONIndex
    let settings: DecodingSettings
    /// Whether a plan says where keys are: not with a custom strategy, which may tell the same key differently elsewhere.
    let plansKeys: Bool
    let convertsKeys: Bool
    private var handlings: [(type: ObjectIdentifier, handling: Handling)?] = Array(repeating: nil, count: 32)
    private var plans: [KeyPlan?] = Array(repeating: nil, count: 64)
    private var camelCased: [String: String] = [:]

    init(_ index: JSONIndex, _ settings: DecodingSettings) {
        self.index = index
        self.settings = settings
        switch settings.keys {
        case .asSent: (plansKeys, convertsKeys) = (true, false)
        case .camelCased: (plansKeys, convertsKeys) = (true, true)
        case .custom: (plansKeys, convertsKeys) = (false, true)
        }
    }

    // MARK: - Types

    /// How values of a type are read.
    enum Handling {
        /// By the type's own `init(from:)`.
        case byType
        case date, data, url, decimal
        case strings, integers, doubles
        /// A dictionary by strings, whose keys no strategy converts.
        case dictionary(any StringDictionary.Type)
    }

    /// The handling of a type, looked up by its identity.
    @inline(__always)
    func handling<Value>(of type: Value.Type) -> Handling {
        let identifier = ObjectIdentifier(type)
        let place = (identifier.hashValueOfAddress &>> 4) & 31
        if let known = handlings[place], known.type == identifier { return known.handling }
        let handling = Self.makeHandling(of: type, convertsKeys: convertsKeys)
        handlings[place] = (identifier, handling)
        return handling
    }

    @inline(never)
    private static func makeHandling<Value>(of type: Value.Type, convertsKeys: Bool) -> Handling {
        if type == Date.self { return .date }
        if type == Data.self { return .data }
        if type == URL.self { return .url }
        if type == Decimal.self { return .decimal }
        if type == [String].self { return .strings }
        if type == [Int].self { return .integers }
        if type == [Double].self { return .doubles }
        if convertsKeys, let dictionary = type as? any StringDictionary.Type { return .dictionary(dictionary) }
        return .byType
    }

    // MARK: - Keys

    /// The plan for objects of a shape whose keys are of a type.
    func plan(for keyType: ObjectIdentifier, _ shape: UInt32) -> KeyPlan {
        let place = (keyType.hashValueOfAddress &>> 4 ^ Int(shape)) & 63
        if let plan = plans[place], plan.keyType == keyType, plan.shape == shape { return plan }
        let plan = KeyPlan(keyType: keyType, shape: shape)
        plans[place] = plan
        return plan
    }

    /// The name that a key of an object goes by.
    func name(of key: String, in object: ValueDecoder) -> String {
        switch settings.keys {
        case .asSent: return key
        case .camelCased:
            if let known = camelCased[key] { return known }
            let name = SnakeCase.camelCased(key)
            camelCased[key] = name
            return name
        case .custom(let convert): return convert(object.codingPath + [NameKey(key)]).stringValue
        }
    }
}

extension ObjectIdentifier {
    @inline(__always)
    var hashValueOfAddress: Int { Int(bitPattern: self) }
}

/// A `Dictionary` by strings of values that can be decoded.
protocol StringDictionary {
    static func decode(_ decoder: ValueDecoder, at position: Int) throws -> Self
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
    static func decode(_ decoder: ValueDecoder, at position: Int) throws -> [String: Value] {
        let index = decoder.index
        var result: [String: Value] = [:]
        result.reserveCapacity(index.members(at: position))
        var member = position + 2
        let end = position + index.tape[position].payload
        while member < end {
            let key = index.string(index.tape[member]) ?? ""
            result[key] = try decoder.element(Value.self, at: member + 1, key: NameKey(key))
            member += 1 + index.tape[member + 1].width
        }
        return result
    }
}

/// A key of any name.
struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { return nil }
}

/// The place of an element, in coding paths.
struct ElementKey: CodingKey {
    let index: Int
    var stringValue: String { "Index \(index)" }
    var intValue: Int? { index }

    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { self.init(intValue) }
}
