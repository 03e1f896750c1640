/// The elements of an array, one after the other.
///
/// Two words, so that `any UnkeyedDecodingContainer` holds it without an allocation.
struct UnkeyedValues: UnkeyedDecodingContainer {
    private let decoder: ValueDecoder
    private var position: Int32
    private var number: Int32 = 0

    init(_ decoder: ValueDecoder) {
        self.decoder = decoder
        position = Int32(truncatingIfNeeded: decoder.position &+ 2)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { total }
    var currentIndex: Int { Int(number) }
    var isAtEnd: Bool { Int(number) >= total }

    @inline(__always) private var total: Int { decoder.index.members(at: decoder.position) }

    /// Reads the next element; one that can't be read stays the next one.
    @inline(__always)
    private mutating func next<Value>(_ type: Any.Type, _ read: (Int, ElementKey) throws -> Value) throws -> Value {
        guard !isAtEnd else { throw end(type) }
        let value = try read(Int(position), ElementKey(currentIndex))
        advance()
        return value
    }

    @inline(__always)
    private mutating func nextIfPresent<Value>(_ read: (Int, ElementKey) throws -> Value) throws -> Value? {
        guard !isAtEnd else { return nil }
        let isNull = decoder.index.tape[Int(position)].kind == .null
        let value = isNull ? nil : try read(Int(position), ElementKey(currentIndex))
        advance()
        return value
    }

    @inline(__always)
    private mutating func advance() {
        position &+= Int32(truncatingIfNeeded: decoder.index.tape[Int(position)].width)
        number &+= 1
    }

    private func end(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: codingPath + [ElementKey(currentIndex)],
                debugDescription: "Unkeyed container is at end."))
    }

    // MARK: - Containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let decoder = decoder
        return try next(KeyedDecodingContainer<NestedKey>.self) {
            try decoder.makeChild(at: $0, key: $1).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let decoder = decoder
        return try next((any UnkeyedDecodingContainer).self) {
            try decoder.makeChild(at: $0, key: $1).unkeyedContainer()
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = decoder
        return try next((any Decoder).self) { decoder.makeChild(at: $0, key: $1) }
    }

    // MARK: - Values

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw end(Never.self) }
        guard decoder.index.tape[Int(position)].kind == .null else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = decoder
        return try next(type) { try decoder.element(type, at: $0, key: $1) }
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        let decoder = decoder
        return try nextIfPresent { try decoder.element(type, at: $0, key: $1) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let decoder = decoder
        return try next(type) { position, key in try decoder.bool(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.bool(at: position, key: key) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let decoder = decoder
        return try next(type) { position, key in try decoder.string(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.string(at: position, key: key) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let decoder = decoder
        return try next(type) { position, key in try decoder.double(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.double(at: position, key: key) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let decoder = decoder
        return try next(type) { position, key in try decoder.float(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.float(at: position, key: key) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let decoder = decoder
        return try next(type) { position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? {
        let decoder = decoder
        return try nextIfPresent { position, key in try decoder.integer(type, at: position, key: key) }
    }
}
