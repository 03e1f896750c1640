import CPostgres
import Foundation
import Persistence

/// The types of PostgreSQL that values are sent as and read from, by their object ids.
enum PostgresType: Oid {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case float4 = 700
    case float8 = 701
    case varchar = 1043
    case timestamptz = 1184
    case numeric = 1700
    case uuid = 2950

    /// The object id of the type of arrays of this type.
    var array: Oid {
        switch self {
        case .bool: 1000
        case .bytea: 1001
        case .name: 1003
        case .int8: 1016
        case .int2: 1005
        case .int4: 1007
        case .text: 1009
        case .oid: 1028
        case .float4: 1021
        case .float8: 1022
        case .varchar: 1015
        case .timestamptz: 1185
        case .numeric: 1231
        case .uuid: 2951
        }
    }

    /// The type of a new column for properties of a kind.
    init(_ kind: PrimitiveKind) {
        self =
            switch kind {
            case .bool: .bool
            case .integer: .int8
            case .unsigned: .numeric
            case .real, .date: .float8
            case .text: .text
            case .data: .bytea
            case .uuid: .uuid
            }
    }

    /// The type that a value is sent as, or nil if the server has to infer it.
    init?(_ value: PrimitiveValue) {
        switch value {
        case .null, .unencodable: return nil
        case .bool: self = .bool
        case .integer: self = .int8
        case .unsigned: self = .numeric
        case .real, .date: self = .float8
        case .text: self = .text
        case .data: self = .bytea
        case .uuid: self = .uuid
        }
    }
}

// MARK: - Reading

extension PrimitiveValue {
    /// Reads a value in PostgreSQL's binary form. Values of other types are read as their bytes.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType?) {
        switch type {
        case .bool where bytes.count == 1: self = .bool(bytes[0] == 1)
        case .int8 where bytes.count == 8: self = .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case .int4 where bytes.count == 4:
            self = .integer(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case .int2 where bytes.count == 2:
            self = .integer(Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
        case .oid where bytes.count == 4:
            self = .integer(Int64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        case .float8 where bytes.count == 8:
            self = .real(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        case .float4 where bytes.count == 4:
            self = .real(Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))))
        case .text, .varchar, .name: self = .text(String(decoding: bytes, as: UTF8.self))
        case .uuid where bytes.count == 16: self = .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .timestamptz where bytes.count == 8:
            // Microseconds since 2000, a leap year before the reference date.
            let microseconds = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            // The greatest and the least number are "infinity" and "-infinity".
            let seconds: Double =
                switch microseconds {
                case .max: .infinity
                case .min: -.infinity
                default: Double(microseconds) / 1e6 - 366 * 86_400
                }
            self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .numeric:
            self =
                PostgresNumeric(bytes)?.value ?? PostgresNumeric.real(bytes).map { .real($0) } ?? .data(Data(bytes))
        default: self = .data(Data(bytes))
        }
    }
}
