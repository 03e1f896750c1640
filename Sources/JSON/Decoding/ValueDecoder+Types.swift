import Foundation

extension ValueDecoder {
    /// Decodes the decoder's own value.
    @inline(__always)
    func own<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let handling = context.handling(of: type)
        if case .byType = handling { return try Value(from: self) }
        return try value(type, handling, at: position, key: nil)
    }

    /// Decodes a value of this decoder's container.
    @inline(__always)
    func element<Value: Decodable>(_ type: Value.Type, at position: Int, key: some CodingKey) throws -> Value {
        let handling = context.handling(of: type)
        if case .byType = handling { return try withChild(at: position, key: key) { try Value(from: $0) } }
        return try value(type, handling, at: position, key: key)
    }

    /// Decodes an element of this decoder's array.
    @inline(__always)
    func element<Value: Decodable>(_ type: Value.Type, at position: Int, number: Int) throws -> Value {
        let handling = context.handling(of: type)
        if case .byType = handling { return try withElement(at: position, number: number) { try Value(from: $0) } }
        return try value(type, handling, at: position, key: ElementKey(number))
    }

    /// Decodes a value whose type needs special handling instead of its own `init(from:)`.
    @inline(never)
    private func value<Value: Decodable>(
        _ type: Value.Type, _ handling: TypeHandling, at position: Int, key: (any CodingKey)?
    ) throws -> Value {
        switch handling {
        case .byType: try withDecoder(at: position, key: key) { try Value(from: $0) }
        case .date: same(try date(at: position, key: key), as: type)
        case .data: same(try data(at: position, key: key), as: type)
        case .url: same(try url(at: position, key: key), as: type)
        case .decimal: same(try decimal(at: position, key: key), as: type)
        case .strings: same(try array(at: position, key: key) { try $0.string(at: $1, key: ElementKey($2)) }, as: type)
        case .integers:
            same(try array(at: position, key: key) { try $0.integer(Int.self, at: $1, key: ElementKey($2)) }, as: type)
        case .doubles: same(try array(at: position, key: key) { try $0.double(at: $1, key: ElementKey($2)) }, as: type)
        case .list:
            try withDecoder(at: position, key: key) { decoder in
                guard decoder.token.kind == .array, let list = context.list(type) else {
                    return try Value(from: decoder)
                }
                return same(try list.decode(decoder), as: type)
            }
        case .dictionary:
            try withDecoder(at: position, key: key) { decoder in
                guard let dictionary = type as? any StringDictionary.Type else { return try Value(from: decoder) }
                guard decoder.token.kind == .object else {
                    throw decoder.mismatch([String: Any].self, at: position, key: nil)
                }
                return same(try dictionary.decode(decoder, at: position), as: type)
            }
        }
    }

    /// Returns a value as its own type: the handling has established that both types are the same, which the compiler
    /// can't know.
    @inline(__always)
    private func same<Known, Value>(_ value: Known, as type: Value.Type) -> Value {
        assert(Known.self == Value.self)
        return unsafeBitCast(value, to: Value.self)
    }

    private func withDecoder<Value>(
        at position: Int, key: (any CodingKey)?, _ decode: (ValueDecoder) throws -> Value
    ) rethrows -> Value {
        if let key { try withChild(at: position, key: key, decode) } else { try decode(self) }
    }

    // MARK: - Arrays

    /// An array whose elements need no decoder of their own.
    @inline(__always)
    private func array<Element>(
        at position: Int, key: (any CodingKey)?, _ read: (ValueDecoder, Int, Int) throws -> Element
    ) throws -> [Element] {
        let token = token(at: position)
        guard token.kind == .array else {
            throw try withDecoder(at: position, key: key) { decoder in
                do {
                    _ = try decoder.unkeyedContainer()
                    return decoder.mismatch([Any].self, at: position, key: nil)
                } catch let error as DecodingError {
                    return error
                }
            }
        }
        var elements: [Element] = []
        let count = index.members(at: position)
        elements.reserveCapacity(count)
        var element = position &+ 2
        for number in 0..<count {
            do {
                elements.append(try read(self, element, number))
            } catch {
                // The element is read again by a decoder that knows its whole coding path, for the error.
                _ = try withDecoder(at: position, key: key) { try read($0, element, number) }
                throw error
            }
            element = element &+ index.tape[element].width
        }
        return elements
    }

    // MARK: - Foundation's types

    private func date(at position: Int, key: (any CodingKey)?) throws -> Date {
        if token(at: position).kind == .null { throw failure(Date.self, at: position, key: key) }
        switch context.settings.dates {
        case .deferred: return Date(timeIntervalSinceReferenceDate: try double(at: position, key: key))
        case .secondsSince1970: return Date(timeIntervalSince1970: try double(at: position, key: key))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(at: position, key: key) / 1_000)
        case .iso8601:
            let text = try string(at: position, key: key)
            guard let date = ISO8601.date(text) else {
                throw corrupted("Expected date string to be ISO8601-formatted.", key: key)
            }
            return date
        case .custom(let decode): return try withDecoder(at: position, key: key, decode)
        }
    }

    private func data(at position: Int, key: (any CodingKey)?) throws -> Data {
        if token(at: position).kind == .null { throw failure(Data.self, at: position, key: key) }
        switch context.settings.bytes {
        case .deferred: return try withDecoder(at: position, key: key) { try Data(from: $0) }
        case .base64:
            guard let data = Data(base64Encoded: try string(at: position, key: key)) else {
                throw corrupted("Encountered Data is not valid Base64.", key: key)
            }
            return data
        case .custom(let decode): return try withDecoder(at: position, key: key, decode)
        }
    }

    private func url(at position: Int, key: (any CodingKey)?) throws -> URL {
        if token(at: position).kind == .null { throw failure(URL.self, at: position, key: key) }
        guard let url = URL(string: try string(at: position, key: key)) else {
            throw corrupted("Invalid URL string.", key: key)
        }
        return url
    }

    private func decimal(at position: Int, key: (any CodingKey)?) throws -> Decimal {
        let token = token(at: position)
        guard token.kind.isNumber else { throw mismatch(Decimal.self, at: position, key: key) }
        guard let decimal = Decimal(string: index.text(token)), decimal.isFinite else {
            throw failure(Decimal.self, at: position, key: key)
        }
        return decimal
    }

    private func corrupted(_ description: String, key: (any CodingKey)?) -> DecodingError {
        .dataCorrupted(.init(codingPath: path(to: key), debugDescription: description))
    }
}
