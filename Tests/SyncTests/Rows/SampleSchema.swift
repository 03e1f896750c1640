import Foundation
import JSONSamples
import Networking
import Persistence

@testable import Sync

/// A row of five columns of any types.
private struct SampleRow<ID: SampleColumn, A: SampleColumn, B: SampleColumn, C: SampleColumn, D: SampleColumn>:
    Identifiable, Sendable
{
    let id: ID
    let a: A
    let b: B
    let c: C
    let d: D

    static func schema(_ names: [String]) -> Schema<SampleRow> {
        Schema<SampleRow>(
            "samples", { SampleRow(id: $0, a: $1, b: $2, c: $3, d: $4) }, Column(names[0], \.id), Column(names[1], \.a),
            Column(names[2], \.b), Column(names[3], \.c), Column(names[4], \.d))
    }
}

/// A schema with random columns, and functions that read its rows.
struct SampleSchema {
    typealias Row = [PrimitiveValue]

    let names: [String]
    let types: [any SampleColumn.Type]
    /// Reads rows, as the values of their columns.
    let read: @Sendable (Data) -> Result<[Row], CoreError>
    /// Reads the rows that can be read.
    let readLeniently: @Sendable (Data) -> Result<(rows: [Row], unreadable: [UnreadableRow]), CoreError>
    /// Reads rows and writes them.
    let rewrite: @Sendable (Data) -> Result<Data, CoreError>

    init(_ dice: inout Dice) {
        let names = Array(Self.allNames.shuffled(using: &dice).prefix(5))
        let types =
            [Self.ids[dice.next(below: Self.ids.count)]]
            + (0..<4).map { _ in Self.all[dice.next(below: Self.all.count)] }
        self = Self.make(names, types[0], types[1], types[2], types[3], types[4])
    }

    private init<ID, A, B, C, D>(_ schema: Schema<SampleRow<ID, A, B, C, D>>) {
        names = schema.columns.map(\.name)
        types = [ID.self, A.self, B.self, C.self, D.self]
        read = { body in schema.objects(fromJSON: body).map { $0.map(schema.values(of:)) } }
        readLeniently = { body in
            schema.readableRows(fromJSON: body).map { ($0.objects.map(schema.values(of:)), $0.unreadable) }
        }
        rewrite = { body in schema.objects(fromJSON: body).flatMap(schema.json(of:)) }
    }

    private static func make<ID: SampleColumn, A: SampleColumn, B: SampleColumn, C: SampleColumn, D: SampleColumn>(
        _ names: [String], _ id: ID.Type, _ a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type
    ) -> SampleSchema {
        SampleSchema(SampleRow<ID, A, B, C, D>.schema(names))
    }

    static let allNames = [
        "id", "a", "title", "created_at", "é", "K", "", "a_longer_name_than_fifteen_bytes", "n1", "\u{1F600}",
        "say \"x\"",
        "back\\slash", "line\nend", "exactly8", "exactly 16 bytes",
    ]

    private static let ids: [any SampleColumn.Type] = [
        Int.self, Int64.self, String.self, UUID.self, Int16.self, UInt64.self, SampleMood.self, SampleLabel.self,
        Date.self,
    ]

    private static let all: [any SampleColumn.Type] =
        scalars
        + scalars.map { type in
            func optional<Wrapped: SampleColumn>(_ type: Wrapped.Type) -> any SampleColumn.Type { Wrapped?.self }
            return optional(type)
        }

    private static let scalars: [any SampleColumn.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
        UInt64.self,
        Double.self, Float.self, Bool.self, String.self, Date.self, UUID.self, Data.self, SampleMood.self,
        SampleLevel.self,
        SampleLabel.self, SampleAddress.self, [Int].self, [String: Bool].self,
    ]
}

extension SampleSchema: CustomStringConvertible {
    var description: String { zip(names, types).map { "\($0.debugDescription): \($1)" }.joined(separator: ", ") }
}

// MARK: - The plain way to read

extension SampleSchema {
    /// Reads a body with `JSONDecoder`: each row's values, `nil` for those that are not values of their columns.
    func decoded(_ body: Data) -> [[PrimitiveValue?]]? {
        let decoder = JSONDecoder()
        decoder.userInfo[Self.key] = self
        return try? decoder.decode([DecodedRow].self, from: body).map(\.values)
    }

    private static let key = CodingUserInfoKey(rawValue: "schema")!

    private struct DecodedRow: Decodable {
        let values: [PrimitiveValue?]

        private struct NoSchema: Error {}

        init(from decoder: any Decoder) throws {
            guard let schema = decoder.userInfo[SampleSchema.key] as? SampleSchema else { throw NoSchema() }
            let members = try decoder.container(keyedBy: SampleKey.self)
            values = zip(schema.names, schema.types).map { name, type in
                try? type.decode(SampleKey(name), of: members).primitiveValue
            }
        }
    }
}
