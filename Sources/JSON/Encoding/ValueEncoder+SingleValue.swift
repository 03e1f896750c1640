extension ValueEncoder: SingleValueEncodingContainer {
    func encode<Value: Encodable>(_ value: Value) throws {
        try encodeOwn(value)
        tree.fill(node)
    }

    func encodeNil() { writeNil(as: node) }
    func encode(_ value: String) { writeString(value, as: node) }
    func encode(_ value: Double) throws { try writeFloat(value, as: node, key: nil) }
    func encode(_ value: Float) throws { try writeFloat(value, as: node, key: nil) }
    func encode(_ value: Bool) { write(value, as: node) }
    func encode(_ value: Int) { write(value, as: node) }
    func encode(_ value: Int8) { write(value, as: node) }
    func encode(_ value: Int16) { write(value, as: node) }
    func encode(_ value: Int32) { write(value, as: node) }
    func encode(_ value: Int64) { write(value, as: node) }
    func encode(_ value: Int128) { write(value, as: node) }
    func encode(_ value: UInt) { write(value, as: node) }
    func encode(_ value: UInt8) { write(value, as: node) }
    func encode(_ value: UInt16) { write(value, as: node) }
    func encode(_ value: UInt32) { write(value, as: node) }
    func encode(_ value: UInt64) { write(value, as: node) }
    func encode(_ value: UInt128) { write(value, as: node) }
}
