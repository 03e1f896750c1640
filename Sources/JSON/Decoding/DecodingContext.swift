import Foundation

/// The state that all decoders of one body share: its index, the settings, and what was learnt of types and keys on the way.
final class DecodingContext {
    let index: JSONIndex
    let settings: DecodingSettings
    /// True if a plan says where keys are: not with a custom strategy, which may tell the same key differently elsewhere.
    let plansKeys: Bool
    let convertsKeys: Bool
    private let handlings = TypeTable<TypeHandling>()
    private var plans: [KeyPlan?] = []
    /// The places of `plans` for which objects were met.
    private var met: UInt64 = 0
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

    /// The handling of a type, looked up by its identity.
    @inline(__always)
    func handling<Value>(of type: Value.Type) -> TypeHandling {
        handlings.value(of: ObjectIdentifier(type)) { makeHandling(of: type) }
    }

    @inline(never)
    private func makeHandling<Value>(of type: Value.Type) -> TypeHandling {
        TypeHandling(of: type) ?? (convertsKeys && type is any StringDictionary.Type ? .dictionary : .byType)
    }

    // MARK: - Keys

    /// The plan for objects of a shape whose keys are of a type; `nil` for the first object, since to make a plan costs more
    /// than it saves if there is no second one.
    func plan(for keyType: ObjectIdentifier, _ shape: UInt32) -> KeyPlan? {
        let place = (keyType.address &>> 4 ^ Int(shape)) & 63
        guard met &>> UInt64(place) & 1 == 1 else {
            met |= 1 &<< UInt64(place)
            return nil
        }
        if plans.isEmpty { plans = Array(repeating: nil, count: 64) }
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
