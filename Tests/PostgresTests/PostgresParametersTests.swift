import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("The parameters of a statement for PostgreSQL")
struct PostgresParametersTests {
    /// The bytes of each value as libpq gets them, or nil for NULL, and the formats of the values.
    private func sent(_ parameters: PostgresParameters) -> (values: [[UInt8]?], formats: [Int32]) {
        parameters.withPointers { count, values, lengths, formats in
            let places = 0..<Int(count)
            return (
                places.map { place in
                    guard let start = values?[place], let length = lengths?[place] else { return nil }
                    return Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
                },
                places.compactMap { formats?[$0] }
            )
        }
    }

    @Test("Values are sent in binary form, the most significant byte first, with their types")
    func values() throws {
        let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let values: [(value: PrimitiveValue, type: PostgresType, bytes: [UInt8]?)] = [
            (.bool(true), .bool, [1]), (.bool(false), .bool, [0]), (.integer(258), .int8, [0, 0, 0, 0, 0, 0, 1, 2]),
            (.integer(7), .numeric, [0, 1, 0, 0, 0, 0, 0, 0, 0, 7]), (.null, .text, nil), (.text(""), .text, []),
            (.text("e\u{301}"), .text, [0xC3, 0xA9]), (.data(Data([0, 1])), .bytea, [0, 1]),
            (.real(1), .float8, [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]), (.uuid(id), .uuid, Array(1...16)),
        ]
        var parameters = PostgresParameters()
        for (value, type, _) in values { try parameters.append(value, as: type) }
        #expect(parameters.types == values.map(\.type.rawValue))
        #expect(sent(parameters).values == values.map(\.bytes))
        #expect(sent(parameters).formats == values.map { _ in 1 })
    }

    @Test("An array is sent as one of one dimension without NULL, whose first index is 1")
    func array() throws {
        var parameters = PostgresParameters()
        try parameters.append([.text("ab"), .text("")], of: .text)
        #expect(parameters.types == [PostgresType.text.array])
        let numbers: [UInt32] = [1, 0, PostgresType.text.rawValue, 2, 1, 2]
        let bytes = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        #expect(sent(parameters).values == [bytes + Array("ab".utf8) + [0, 0, 0, 0]])
    }

    @Test("A statement has at most 65,535 values")
    func mostValues() throws {
        var parameters = PostgresParameters()
        for _ in 0..<65_535 { try parameters.append(.null, as: nil) }
        #expect(parameters.types.count == 65_535)
        let error = #expect(throws: StoreError.self) { try parameters.append(.null, as: nil) }
        #expect(error == .refused(reason: "a statement for PostgreSQL can have at most 65535 values"))
    }

    @Test("The values of a statement must leave room for the rest of a message of 1 GiB", arguments: [0, 1])
    func greatestSize(_ more: Int) throws {
        // Its memory is neither read nor written.
        let value = PrimitiveValue.data(Data(count: (1 << 30) - (1 << 20) + more))
        var parameters = PostgresParameters()
        for error in [
            #expect(throws: StoreError.self) { try parameters.append(value, as: .bytea) },
            #expect(throws: StoreError.self) { try parameters.append([value], of: .bytea) },
        ] {
            guard case .constraint(let reason)? = error, reason.contains("1 GiB") else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
    }
}
