import Foundation
import JSON
import Persistence

/// A type of property that is read from JSON and written to it without a ``PrimitiveValue`` in between.
protocol JSONColumnValue: Primitive {
    /// Reads the value; returns nil if the JSON is of another type or does not fit.
    init?(_ json: JSONScalar)

    /// Writes the value in PostgREST's form; returns false if PostgreSQL has no such value.
    func write(to writer: inout JSONWriter) -> Bool
}

extension Int: JSONColumnValue {
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let value = json.integer else { return nil }
        self.init(exactly: value)
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        writer.integer(Int64(self))
        return true
    }
}

extension Int64: JSONColumnValue {
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let value = json.integer else { return nil }
        self = value
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        writer.integer(self)
        return true
    }
}

extension Bool: JSONColumnValue {
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let value = json.bool else { return nil }
        self = value
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        writer.bool(self)
        return true
    }
}

extension Double: JSONColumnValue {
    // JSON cannot express infinity and NaN as numbers, so they are strings.
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let value = json.double ?? json.string.flatMap(Double.init(postgresText:)) else { return nil }
        self = value
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        if isFinite { writer.double(self) } else { writer.string(postgresText) }
        return true
    }
}

extension String: JSONColumnValue {
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let value = json.string else { return nil }
        self = value
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        writer.string(precomposed)
        return true
    }
}

extension Date: JSONColumnValue {
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let timestamp = json.withText(Timestamp.init) ?? json.string.flatMap(Timestamp.init) else { return nil }
        self = timestamp.date
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        guard let timestamp = Timestamp(self) else { return false }
        writer.string(timestamp.description)
        return true
    }
}

extension UUID: JSONColumnValue {
    @inline(__always)
    init?(_ json: JSONScalar) {
        guard let value = json.string.flatMap(UUID.init(uuidString:)) else { return nil }
        self = value
    }

    @inline(__always)
    func write(to writer: inout JSONWriter) -> Bool {
        writer.string(uuidString.lowercased())
        return true
    }
}
