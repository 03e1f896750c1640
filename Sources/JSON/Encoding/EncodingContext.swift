import Foundation

/// The state that all encoders of one value share: the tree, the settings, and caches of types and keys.
final class EncodingContext {
    let tree: EncodedTree
    let settings: EncodingSettings
    private let convertsKeys: Bool
    private let handlings = TypeTable<TypeHandling>()
    private var snakeCased: [String: String] = [:]

    init(_ tree: EncodedTree, _ settings: EncodingSettings) {
        self.tree = tree
        self.settings = settings
        if case .asNamed = settings.keys { convertsKeys = false } else { convertsKeys = true }
    }

    deinit { handlings.deallocate() }

    @inline(__always)
    func handling<Value>(of type: Value.Type) -> TypeHandling {
        handlings.value(of: ObjectIdentifier(type)) { makeHandling(of: type) }
    }

    @inline(never)
    private func makeHandling<Value>(of type: Value.Type) -> TypeHandling {
        TypeHandling(of: type) ?? (convertsKeys && type is any EncodableStringDictionary.Type ? .dictionary : .byType)
    }

    // MARK: - Keys

    /// Writes a key with its quotes; returns its range in the bytes, and whether it is only ASCII.
    @inline(__always)
    func writeKey(_ key: some CodingKey, in encoder: ValueEncoder) -> (range: Range<Int>, isPlain: Bool) {
        let start = tree.bytes.count
        let isPlain = tree.bytes.appendString(
            convertsKeys ? converted(key, in: encoder) : key.stringValue, escapesSlashes: settings.format.escapesSlashes
        )
        return (start..<tree.bytes.count, isPlain)
    }

    private func converted(_ key: some CodingKey, in encoder: ValueEncoder) -> String {
        switch settings.keys {
        case .asNamed: return key.stringValue
        case .snakeCased:
            let name = key.stringValue
            if let known = snakeCased[name] { return known }
            let converted = SnakeCase.snakeCased(name)
            // Canonically equivalent keys with different bytes would share an entry, so only ASCII keys are cached.
            if name.utf8.allSatisfy({ $0 < 0x80 }) { snakeCased[name] = converted }
            return converted
        case .custom(let convert): return convert(encoder.codingPath + [key]).stringValue
        }
    }
}

/// A `Dictionary` with `String` keys whose values can be encoded.
protocol EncodableStringDictionary {
    func encode(with encoder: ValueEncoder) throws
}

extension Dictionary: EncodableStringDictionary where Key == String, Value: Encodable {
    func encode(with encoder: ValueEncoder) throws {
        let (context, node) = (encoder.context, encoder.node)
        context.tree.open(node, as: .object)
        for (name, value) in self {
            let start = context.tree.bytes.count
            let isPlain = context.tree.bytes.appendString(name, escapesSlashes: context.settings.format.escapesSlashes)
            let child = context.tree.append(to: node, key: start..<context.tree.bytes.count, hasPlainKey: isPlain)
            try encoder.encode(value, as: child, in: node, key: NameKey(name))
        }
    }
}
