import Foundation

/// The state that all decoders of one body share: its index, the settings, and what was learnt of types and keys on the way.
final class DecodingContext {
    let index: JSONIndex
    let settings: DecodingSettings
    /// True if a plan says where keys are: not with a custom strategy, which may tell the same key differently elsewhere.
    let plansKeys: Bool
    let convertsKeys: Bool
    private let handlings = TypeTable<TypeHandling>()
    /// The types of lists as such; made for the first one.
    private var lists: TypeTable<ListType?>?
    private var plans: [KeyPlan?] = []
    /// The places of `plans` for which objects were met.
    private var met: UInt64 = 0
    private var camelCased: [String: String] = [:]
    private var lastMismatch: (type: ObjectIdentifier, kind: JSONToken.Kind, text: String)?

    init(_ index: JSONIndex, _ settings: DecodingSettings) {
        self.index = index
        self.settings = settings
        switch settings.keys {
        case .asSent: (plansKeys, convertsKeys) = (true, false)
        case .camelCased: (plansKeys, convertsKeys) = (true, true)
        case .custom: (plansKeys, convertsKeys) = (false, true)
        }
    }

    deinit {
        handlings.deallocate()
        lists?.deallocate()
    }

    // MARK: - Types

    /// The handling of a type, looked up by its identity.
    @inline(__always)
    func handling<Value>(of type: Value.Type) -> TypeHandling {
        handlings.value(of: ObjectIdentifier(type)) { makeHandling(of: type) }
    }

    @inline(never)
    private func makeHandling<Value>(of type: Value.Type) -> TypeHandling {
        if let known = TypeHandling(of: type) { return known }
        // By the size first, since to ask a type for a conformance takes longer than to decode a small value.
        if MemoryLayout<Value>.size == MemoryLayout<[Int]>.size, type is any DecodableList.Type { return .list }
        return convertsKeys && type is any StringDictionary.Type ? .dictionary : .byType
    }

    /// The type as that of a list.
    func list<Value>(_ type: Value.Type) -> (any DecodableList.Type)? {
        let table = lists ?? TypeTable()
        lists = table
        return table.value(of: ObjectIdentifier(type)) { (type as? any DecodableList.Type).map(ListType.init) }?.type
    }

    /// The sentence on a value of another type. The last one is kept, as the elements of a list that are pruned mostly fail
    /// in the same way, and the name of a type takes longer to find than the rest of the failure.
    func mismatch(_ type: Any.Type, found kind: JSONToken.Kind) -> String {
        if let last = lastMismatch, last.type == ObjectIdentifier(type), last.kind == kind { return last.text }
        let text = "Expected to decode \(type) but found \(kind.name) instead."
        lastMismatch = (ObjectIdentifier(type), kind, text)
        return text
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
