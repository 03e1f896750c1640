import Foundation
import JSON
import Persistence

/// The functions that read a column's values from JSON and write them to it, for a column of any type.
///
/// The functions of common types are specialized, so that a value costs one call.
struct JSONColumnCoder: Sendable {
    /// Reads a value into an empty slot; returns false, and leaves the slot empty, if the JSON is not a value of the type.
    private(set) var read: @Sendable (JSONScalar, UnsafeMutableRawPointer) -> Bool
    /// Writes the value at ``offset`` in an object's memory; returns false if PostgreSQL has no such value.
    private(set) var write: @Sendable (UnsafeRawPointer, inout JSONWriter) -> Bool
    /// The offset in the object of the address that ``write`` gets. It is stored here and not captured by the function,
    /// since a function without captures is called without reference counting.
    private(set) var offset = 0

    init<Object>(for column: SchemaColumn<Object>) {
        if let common = Self.common[ObjectIdentifier(column.valueType)] {
            self = common
            if let place = column.offset {
                offset = place
            } else {
                write = { [read = column.read] object, writer in read(object).write(to: &writer) }
            }
        } else {
            let kind = column.attribute.kind
            read = { [fill = column.fill] json, slot in PrimitiveValue(json, kind: kind).map { fill($0, slot) } ?? false
            }
            write = { [read = column.read] object, writer in read(object).write(to: &writer) }
        }
    }

    /// The coder for reading one body. If making a value from its text may take long, as that of an enum does, it remembers the
    /// values of short texts.
    func remembering<Object>(_ column: SchemaColumn<Object>) -> JSONColumnCoder {
        guard column.attribute.kind == .text, Self.common[ObjectIdentifier(column.valueType)] == nil else {
            return self
        }
        func reading<Value: Primitive>(
            _ type: Value.Type
        ) -> @Sendable (JSONScalar, UnsafeMutableRawPointer) -> Bool {
            let known = KnownTexts(of: type)
            return { [read] json, slot in known.read(json, into: slot) { read(json, slot) } }
        }
        var coder = self
        coder.read = reading(column.valueType)
        return coder
    }

    private init<Value>(
        _ type: Value.Type, read: @escaping @Sendable (JSONScalar, UnsafeMutableRawPointer) -> Bool,
        write: @escaping @Sendable (UnsafeRawPointer, inout JSONWriter) -> Bool
    ) where Value: Primitive {
        self.read = read
        self.write = write
    }

    /// The coders of common types, and of these as optionals.
    private static let common: [ObjectIdentifier: JSONColumnCoder] = {
        var coders: [ObjectIdentifier: JSONColumnCoder] = [:]
        @inline(__always)
        func add<Value: JSONColumnValue>(_ type: Value.Type) {
            coders[ObjectIdentifier(type)] = value(type)
            coders[ObjectIdentifier(Value?.self)] = optional(type)
        }
        add(Int.self)
        add(Int64.self)
        add(Bool.self)
        add(Double.self)
        add(String.self)
        add(Date.self)
        add(UUID.self)
        return coders
    }()

    @inline(__always)
    private static func value<Value: JSONColumnValue>(_ type: Value.Type) -> JSONColumnCoder {
        JSONColumnCoder(
            type,
            read: { json, slot in
                guard let value = Value(json) else { return false }
                slot.initializeMemory(as: Value.self, to: value)
                return true
            },
            write: { address, writer in address.assumingMemoryBound(to: Value.self).pointee.write(to: &writer) })
    }

    @inline(__always)
    private static func optional<Value: JSONColumnValue>(_ type: Value.Type) -> JSONColumnCoder {
        JSONColumnCoder(
            Value?.self,
            read: { json, slot in
                if json.isNull {
                    slot.initializeMemory(as: Value?.self, to: nil)
                    return true
                }
                guard let value = Value(json) else { return false }
                slot.initializeMemory(as: Value?.self, to: value)
                return true
            },
            write: { address, writer in
                guard let value = address.assumingMemoryBound(to: Value?.self).pointee else {
                    writer.null()
                    return true
                }
                return value.write(to: &writer)
            })
    }
}

extension PrimitiveValue {
    /// The value of a column; nil if the JSON is of another type.
    init?(_ json: JSONScalar, kind: PrimitiveKind) {
        if json.isNull {
            self = .null
            return
        }
        let value: PrimitiveValue? =
            switch kind {
            case .bool: Bool(json).map { .bool($0) }
            case .integer: json.integer.map { .integer($0) }
            case .unsigned: json.integer.map { .integer($0) } ?? json.unsigned.map { .unsigned($0) }
            case .real: Double(json).map { .real($0) }
            case .text: json.string.map { .text($0) }
            case .date: Date(json).map { .date($0) }
            case .uuid: UUID(json).map { .uuid($0) }
            case .data: json.string.flatMap { PrimitiveValue(postgresText: $0, kind: kind) }
            }
        guard let value else { return nil }
        self = value
    }

    /// Writes the value in PostgREST's form; returns false if PostgreSQL has no such value.
    public func write(to writer: inout JSONWriter) -> Bool {
        switch self {
        case .null: writer.null()
        case let .bool(value): return value.write(to: &writer)
        case let .integer(value): return value.write(to: &writer)
        case let .unsigned(value): writer.integer(value)
        case let .real(value): return value.write(to: &writer)
        case let .text(value): return value.write(to: &writer)
        case let .date(value): return value.write(to: &writer)
        case let .uuid(value): return value.write(to: &writer)
        case .data, .unencodable:
            guard let text = postgresText else { return false }
            writer.string(text)
        }
        return true
    }
}
