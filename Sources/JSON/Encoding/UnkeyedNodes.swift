/// Writes the elements of an array, one after the other.
struct UnkeyedNodes: UnkeyedEncodingContainer {
    private let encoder: ValueEncoder
    /// The node of the array. It is stored here because the encoder's node may change if a type keeps this container.
    private let array: Int

    init(_ encoder: ValueEncoder) { (self.encoder, array) = (encoder, encoder.node) }

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { Int(encoder.tree[array].count) }

    /// Adds an element; returns its node.
    @inline(__always)
    private func add() -> Int { encoder.tree.append(to: array) }

    // MARK: - Containers

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
    func superEncoder() -> any Encoder { child() }

    private func child() -> ValueEncoder {
        let key = ElementKey(count)
        return encoder.makeChild(node: add(), key: key)
    }

    // MARK: - Values

    func encodeNil() { encoder.writeNil(as: add()) }

    func encode<Value: Encodable>(_ value: Value) throws {
        let key = ElementKey(count)
        try encoder.encode(value, as: add(), in: array, key: key)
    }

    func encode(_ value: String) { encoder.writeString(value, as: add()) }
    func encode(_ value: Double) throws { try float(value) }
    func encode(_ value: Float) throws { try float(value) }

    private func float(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
        let key = ElementKey(count)
        let node = add()
        do {
            try encoder.writeFloat(value, as: node, key: key)
        } catch {
            encoder.tree.remove(node, from: array)
            throw error
        }
    }

    func encode(_ value: Bool) { encoder.write(value, as: add()) }
    func encode(_ value: Int) { encoder.write(value, as: add()) }
    func encode(_ value: Int8) { encoder.write(value, as: add()) }
    func encode(_ value: Int16) { encoder.write(value, as: add()) }
    func encode(_ value: Int32) { encoder.write(value, as: add()) }
    func encode(_ value: Int64) { encoder.write(value, as: add()) }
    func encode(_ value: Int128) { encoder.write(value, as: add()) }
    func encode(_ value: UInt) { encoder.write(value, as: add()) }
    func encode(_ value: UInt8) { encoder.write(value, as: add()) }
    func encode(_ value: UInt16) { encoder.write(value, as: add()) }
    func encode(_ value: UInt32) { encoder.write(value, as: add()) }
    func encode(_ value: UInt64) { encoder.write(value, as: add()) }
    func encode(_ value: UInt128) { encoder.write(value, as: add()) }
}
