/// Writes the members of an object, by keys of a type.
struct KeyedNodes<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: ValueEncoder
    /// The node of the object. It is stored here because the encoder's node may change if a type keeps this container.
    private let object: Int

    init(_ encoder: ValueEncoder) { (self.encoder, object) = (encoder, encoder.node) }

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Adds a member; returns the node of its value.
    @inline(__always)
    private func add(_ key: some CodingKey) -> Int {
        let written = encoder.context.writeKey(key, in: encoder)
        return encoder.tree.append(to: object, key: written.range, hasPlainKey: written.isPlain)
    }

    // MARK: - Containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(for: key, .object).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(for: key, .array).unkeyedContainer()
    }

    /// Returns the encoder of a key's container, which continues a container that was encoded for the key before.
    private func child(for key: Key, _ kind: EncodedTree.Kind) -> ValueEncoder {
        let written = encoder.context.writeKey(key, in: encoder)
        if let known = encoder.tree.child(of: object, key: written.range), encoder.tree[known].kind == kind {
            return encoder.makeChild(node: known, key: key)
        }
        let node = encoder.tree.append(to: object, key: written.range, hasPlainKey: written.isPlain)
        return encoder.makeChild(node: node, key: key)
    }

    func superEncoder() -> any Encoder {
        let key = NameKey("super")
        return encoder.makeChild(node: add(key), key: key)
    }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.makeChild(node: add(key), key: key) }

    // MARK: - Values

    func encodeNil(forKey key: Key) { encoder.writeNil(as: add(key)) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.encode(value, as: add(key), in: object, key: key)
    }

    func encode(_ value: String, forKey key: Key) { encoder.writeString(value, as: add(key)) }
    func encode(_ value: Double, forKey key: Key) throws { try float(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try float(value, key) }

    private func float(_ value: some BinaryFloatingPoint & CustomStringConvertible, _ key: Key) throws {
        let node = add(key)
        do {
            try encoder.writeFloat(value, as: node, key: key)
        } catch {
            encoder.tree.remove(node, from: object)
            throw error
        }
    }

    func encode(_ value: Bool, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: Int, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: Int8, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: Int16, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: Int32, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: Int64, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: Int128, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: UInt, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: UInt8, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: UInt16, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: UInt32, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: UInt64, forKey key: Key) { encoder.write(value, as: add(key)) }
    func encode(_ value: UInt128, forKey key: Key) { encoder.write(value, as: add(key)) }
}
