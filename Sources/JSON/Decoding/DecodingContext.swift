import Foundation

/// The state that all decoders of one body share: its index, the settings, and caches of types and keys.
final class DecodingContext {
    let index: JSONIndex
    private(set) var settings = DecodingSettings()
    /// True if key plans are used. They are not with a custom key strategy, which may convert the same key differently
    /// at another coding path.
    private(set) var plansKeys = true
    private(set) var convertsKeys = false
    private let handlings = TypeTable<TypeHandling>()
    /// The list types, by type; allocated when the first list is decoded.
    private var lists: TypeTable<ListType?>?
    private var plans: [KeyPlan?] = []
    private static let planCount = 256
    /// True if the plans are for converted keys.
    private var plansConvertKeys = false
    /// The places of `plans`, modulo 64, for which objects were met.
    private var met: UInt64 = 0
    /// From this number of words of the index on, each shape of an object is expected to come again.
    private static let smallBody = 512
    private var camelCased: [String: String] = [:]
    private var mismatches: [(type: ObjectIdentifier, kind: JSONToken.Kind, text: String)] = []

    init(_ index: JSONIndex) { self.index = index }

    /// Indexes a body that is decoded with these settings.
    func begin(_ body: UnsafeBufferPointer<UInt8>, _ settings: DecodingSettings) throws(JSONFault) {
        self.settings = settings
        switch settings.keys {
        case .asSent: (plansKeys, convertsKeys) = (true, false)
        case .camelCased: (plansKeys, convertsKeys) = (true, true)
        case .custom: (plansKeys, convertsKeys) = (false, true)
        }
        if plansKeys, plansConvertKeys != convertsKeys {
            forgetPlans()
            plansConvertKeys = convertsKeys
        }
        try index.scan(body)
    }

    /// Forgets the body and the settings, but not the types, and where these find their keys.
    func end() {
        if !index.clear() { forgetPlans() }
        settings = DecodingSettings()
        if convertsKeys { camelCased = [:] }
    }

    private func forgetPlans() {
        if met != 0 { (met, plans) = (0, []) }
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
        // The size is compared first: looking up a conformance takes longer than decoding a small value.
        if MemoryLayout<Value>.size == MemoryLayout<[Int]>.size, type is any DecodableList.Type { return .list }
        if MemoryLayout<Value>.size == MemoryLayout<[String: Int]>.size, type is any StringDictionary.Type {
            return .dictionary
        }
        return .byType
    }

    /// Returns the type as a `DecodableList`; `nil` if it is not one.
    func list<Value>(_ type: Value.Type) -> (any DecodableList.Type)? {
        let table = lists ?? TypeTable()
        lists = table
        return table.value(of: ObjectIdentifier(type)) { (type as? any DecodableList.Type).map(ListType.init) }?.type
    }

    /// Returns the error text for a value of an unexpected type. The last texts are cached: pruned elements of a list, and
    /// types that try one type after the other, mostly fail in the same ways, and looking up the name of a type is the
    /// slowest part of the error.
    func mismatch(_ type: Any.Type, found kind: JSONToken.Kind) -> String {
        let identity = ObjectIdentifier(type)
        for known in mismatches where known.type == identity && known.kind == kind { return known.text }
        let text = "Expected to decode \(type) but found \(kind.name) instead."
        if mismatches.count == 32 { mismatches.removeFirst() }
        mismatches.append((identity, kind, text))
        return text
    }

    // MARK: - Keys

    /// Returns the plan for objects of a shape that are read with a type of keys. Returns `nil` for the first such
    /// object of a small body: a plan costs more than it saves if there is no second one.
    func plan(for keyType: ObjectIdentifier, _ shape: UInt32) -> KeyPlan? {
        let place = (keyType.address &>> 4 ^ Int(shape)) & (Self.planCount &- 1)
        let bit = 1 &<< UInt64(place & 63)
        defer { met |= bit }
        if met & bit == 0, index.tape.count < Self.smallBody { return nil }
        if plans.isEmpty { plans = Array(repeating: nil, count: Self.planCount) }
        if let plan = plans[place], plan.keyType == keyType, plan.shape == shape { return plan }
        let plan = KeyPlan(keyType: keyType, shape: shape)
        plans[place] = plan
        return plan
    }

    /// Returns the name of a key, as the key strategy converts it.
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
