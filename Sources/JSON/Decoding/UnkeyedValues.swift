/// The elements of an array, one after the other.
///
/// It takes no more than three words, so that `any UnkeyedDecodingContainer` holds it without an allocation.
struct UnkeyedValues: UnkeyedDecodingContainer {
    private let decoder: ValueDecoder
    private var position: Int32
    private var number: Int32 = 0
    private let total: Int32

    init(_ decoder: ValueDecoder) {
        self.decoder = decoder
        total = Int32(truncatingIfNeeded: decoder.index.members(at: decoder.position))
        position = Int32(truncatingIfNeeded: decoder.position &+ 2)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { Int(total) }
    var currentIndex: Int { Int(number) }
    var isAtEnd: Bool { number >= total }

    /// Reads the next element; one that can't be read stays the next one.
    @inline(__always)
    private mutating func next<Value>(
        _ type: Any.Type, _ read: (ValueDecoder, Int, ElementKey) throws -> Value
    ) throws -> Value {
        guard !isAtEnd else { throw end(type) }
        let value = try read(decoder, Int(position), ElementKey(currentIndex))
        advance()
        return value
    }

    @inline(__always)
    private mutating func nextIfPresent<Value>(
        _ read: (ValueDecoder, Int, ElementKey) throws -> Value
    ) throws -> Value? {
        guard !isAtEnd else {
            // `JSONDecoder` counts on too.
            if number < .max { number += 1 }
            return nil
        }
        let isNull = decoder.index.tape[Int(position)].kind == .null
        let value = isNull ? nil : try read(decoder, Int(position), ElementKey(currentIndex))
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
        try next(KeyedDecodingContainer<NestedKey>.self) {
            try $0.makeChild(at: $1, key: $2).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) {
            try $0.makeChild(at: $1, key: $2).unkeyedContainer()
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next((any Decoder).self) { $0.makeChild(at: $1, key: $2) }
    }

    // MARK: - Values

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw end(Never.self) }
        guard decoder.index.tape[Int(position)].kind == .null else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.element(type, at: $1, number: $2.index) }
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        try nextIfPresent { try $0.element(type, at: $1, number: $2.index) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try next(type) { decoder, position, key in try decoder.bool(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? {
        try nextIfPresent { decoder, position, key in try decoder.bool(at: position, key: key) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try next(type) { decoder, position, key in try decoder.string(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: String.Type) throws -> String? {
        try nextIfPresent { decoder, position, key in try decoder.string(at: position, key: key) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try next(type) { decoder, position, key in try decoder.double(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? {
        try nextIfPresent { decoder, position, key in try decoder.double(at: position, key: key) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try next(type) { decoder, position, key in try decoder.float(at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? {
        try nextIfPresent { decoder, position, key in try decoder.float(at: position, key: key) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    // At the end, `JSONDecoder` counts on with all types but these two.
    mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? {
        if isAtEnd { return nil }
        return try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? {
        try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try next(type) { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }

    mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? {
        if isAtEnd { return nil }
        return try nextIfPresent { decoder, position, key in try decoder.integer(type, at: position, key: key) }
    }
}
