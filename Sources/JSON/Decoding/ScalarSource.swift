import Foundation

/// A part of a body that single values are read from.
protocol ScalarSource {
    var index: JSONIndex { get }
    /// The decoder that knows the coding path.
    var decoder: ValueDecoder { get }
}

extension ObjectMembers: ScalarSource {}

extension ValueDecoder: ScalarSource {
    var decoder: ValueDecoder { self }
}

/// `key` is that of a value in the decoder's container, for errors; `nil` for the decoder's own value.
extension ScalarSource {
    @inline(__always)
    func token(at position: Int) -> JSONToken {
        position == ValueDecoder.none ? JSONToken(.null, payload: 0, offset: 0) : index.tape[position]
    }

    @inline(__always)
    func bool(at position: Int, key: @autoclosure () -> (any CodingKey)?) throws -> Bool {
        switch token(at: position).kind {
        case .yes: return true
        case .no: return false
        default: throw decoder.mismatch(Bool.self, at: position, key: key())
        }
    }

    @inline(__always)
    func string(at position: Int, key: @autoclosure () -> (any CodingKey)?) throws -> String {
        let token = token(at: position)
        guard token.kind.isString, let string = index.string(token) else {
            throw decoder.failure(String.self, at: position, key: key())
        }
        return string
    }

    @inline(__always)
    func integer<Value: FixedWidthInteger>(
        _ type: Value.Type, at position: Int, key: @autoclosure () -> (any CodingKey)?
    ) throws -> Value {
        let token = token(at: position)
        guard let value: Value = JSONNumber.integer(token, index.bytes) else {
            throw decoder.failure(type, at: position, key: key())
        }
        return value
    }

    @inline(__always)
    func double(at position: Int, key: @autoclosure () -> (any CodingKey)?) throws -> Double {
        if let value = JSONNumber.double(token(at: position), index.bytes) { return value }
        return try decoder.named(Double.self, at: position, key: key())
    }

    @inline(__always)
    func float(at position: Int, key: @autoclosure () -> (any CodingKey)?) throws -> Float {
        if let value = JSONNumber.float(token(at: position), index.bytes) { return value }
        return try decoder.named(Float.self, at: position, key: key())
    }
}

extension ValueDecoder {
    /// A number that is written as a string, if the settings have names for such numbers.
    @inline(never)
    func named<Value: BinaryFloatingPoint>(
        _ type: Value.Type, at position: Int, key: (any CodingKey)?
    ) throws -> Value {
        let token = token(at: position)
        if let names = context.settings.floats, token.kind == .asciiString || token.kind == .unicodeString {
            // Compared by bytes: a string that is only canonically equivalent to a name does not match.
            let text = UnsafeBufferPointer(start: index.bytes + token.offset, count: token.payload)
            if names.infinity.utf8.elementsEqual(text) { return .infinity }
            if names.negativeInfinity.utf8.elementsEqual(text) { return -.infinity }
            if names.nan.utf8.elementsEqual(text) { return .nan }
        }
        throw failure(type, at: position, key: key)
    }

    // MARK: - Failures

    /// Returns the error for a value that cannot be read as a type.
    @inline(never)
    func failure(_ type: Any.Type, at position: Int, key: (any CodingKey)?) -> DecodingError {
        let token = token(at: position)
        let path = path(to: key)
        if token.kind == .null {
            return .valueNotFound(
                type,
                .init(
                    codingPath: path,
                    debugDescription: "Cannot get value of type \(type) -- found null value instead"))
        }
        if token.kind.isNumber, type != String.self {
            return .dataCorrupted(
                .init(
                    codingPath: path,
                    debugDescription:
                        "The number \(index.text(token).prefix(40)) does not fit the type that it is read as."))
        }
        if token.kind.isString, type == String.self {
            return .dataCorrupted(
                .init(codingPath: path, debugDescription: "A string holds half of a surrogate pair."))
        }
        return mismatch(type, found: token, at: path)
    }

    @inline(never)
    func mismatch(_ type: Any.Type, at position: Int, key: (any CodingKey)?) -> DecodingError {
        let token = token(at: position)
        if token.kind == .null { return failure(type, at: position, key: key) }
        return mismatch(type, found: token, at: path(to: key))
    }
}
