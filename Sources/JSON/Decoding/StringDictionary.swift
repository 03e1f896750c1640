/// A `Dictionary` with `String` keys whose values can be decoded.
protocol StringDictionary {
    static func decode(_ decoder: ValueDecoder, at position: Int) throws -> Self
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
    static func decode(_ decoder: ValueDecoder, at position: Int) throws -> [String: Value] {
        let index = decoder.index
        var result: [String: Value] = [:]
        result.reserveCapacity(index.members(at: position))
        var member = position + 2
        let end = position + index.tape[position].payload
        while member < end {
            let key = index.string(index.tape[member]) ?? ""
            result[key] = try decoder.element(Value.self, at: member + 1, key: NameKey(key))
            member += 1 + index.tape[member + 1].width
        }
        return result
    }
}
