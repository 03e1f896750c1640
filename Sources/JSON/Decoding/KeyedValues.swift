/// The members of an object, by keys of a type.
struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: ObjectMembers

    var codingPath: [any CodingKey] { members.decoder.codingPath }
    var allKeys: [Key] { members.uniqueNames.compactMap(Key.init) }

    func contains(_ key: Key) -> Bool { members.find(key.stringValue) != ValueDecoder.none }

    /// The position of a key's value.
    @inline(__always)
    private func position(of key: Key) throws -> Int {
        let position = members.find(key.stringValue)
        if position == ValueDecoder.none { throw missing(key) }
        return position
    }

    /// The position of a key's value, unless it is missing or null.
    @inline(__always)
    private func presentPosition(of key: Key) -> Int? {
        let position = members.find(key.stringValue)
        return position == ValueDecoder.none || members.index.tape[position].kind == .null ? nil : position
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
    }

    // MARK: - Containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try members.decoder.makeChild(at: position(of: key), key: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try members.decoder.makeChild(at: position(of: key), key: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { superDecoder(for: NameKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(for: key) }

    /// Returns a decoder for a superclass; it decodes null if the object has no member for it.
    private func superDecoder(for key: some CodingKey) -> ValueDecoder {
        members.decoder.makeChild(at: members.find(key.stringValue), key: key)
    }

    // MARK: - Values

    func decodeNil(forKey key: Key) throws -> Bool {
        members.index.tape[try position(of: key)].kind == .null
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try members.decoder.element(type, at: position(of: key), key: key)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.decoder.element(type, at: position, key: key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try members.bool(at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.bool(at: position, key: key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try members.string(at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.string(at: position, key: key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try members.double(at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.double(at: position, key: key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try members.float(at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.float(at: position, key: key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try members.integer(type, at: position(of: key), key: key)
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        guard let position = presentPosition(of: key) else { return nil }
        return try members.integer(type, at: position, key: key)
    }
}
