import FeedbackTesting
import Persistence
import Testing

/// There is an initializer for each number of columns up to 16 besides the key, and one for any number.
@Suite("Schemas of every number of columns")
struct SchemaWidthTests {
    private struct Row: Identifiable, Equatable, Sendable {
        var id: Int
        var texts: [String]

        init(_ id: Int, _ texts: String...) { (self.id, self.texts) = (id, texts) }

        subscript(number: Int) -> String { texts[number - 1] }
    }

    private static let id = Column("id", \Row.id)
    private static let c = (0...18).map { Column("c\($0)", \Row.[$0]) }

    private static let schemas: [Schema<Row>] = [
        Schema<Row>("rows", { Row($0, $1) }, id, c[1]),
        Schema<Row>("rows", { Row($0, $1, $2) }, id, c[1], c[2]),
        Schema<Row>("rows", { Row($0, $1, $2, $3) }, id, c[1], c[2], c[3]),
        Schema<Row>("rows", { Row($0, $1, $2, $3, $4) }, id, c[1], c[2], c[3], c[4]),
        Schema<Row>("rows", { Row($0, $1, $2, $3, $4, $5) }, id, c[1], c[2], c[3], c[4], c[5]),
        Schema<Row>("rows", { Row($0, $1, $2, $3, $4, $5, $6) }, id, c[1], c[2], c[3], c[4], c[5], c[6]),
        Schema<Row>("rows", { Row($0, $1, $2, $3, $4, $5, $6, $7) }, id, c[1], c[2], c[3], c[4], c[5], c[6], c[7]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8) }, id, c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9) }, id, c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8],
            c[9]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10) }, id, c[1], c[2], c[3], c[4], c[5], c[6], c[7],
            c[8], c[9], c[10]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) }, id, c[1], c[2], c[3], c[4], c[5], c[6],
            c[7], c[8], c[9], c[10], c[11]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) }, id, c[1], c[2], c[3], c[4], c[5],
            c[6], c[7], c[8], c[9], c[10], c[11], c[12]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) }, id, c[1], c[2], c[3], c[4],
            c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) }, id, c[1], c[2], c[3],
            c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) }, id, c[1], c[2], c[3],
            c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) }, id, c[1], c[2],
            c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15], c[16]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) }, id, c[1],
            c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15], c[16], c[17]),
        Schema<Row>(
            "rows", { Row($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) }, id,
            c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15], c[16],
            c[17], c[18]),
    ]

    @Test("Each value comes back in its place", arguments: 1...18)
    func values(count: Int) throws {
        let schema = Self.schemas[count - 1]
        #expect(schema.columns.map(\.name) == ["id"] + (1...count).map { "c\($0)" })
        var rows = [Row(1), Row(2)]
        for number in 1...count {
            rows[0].texts.append("\(number)")
            rows[1].texts.append("a text that is too long for a small string, \(number)")
        }
        for store in [AnyStore(MemoryStore(schema)), AnyStore(try SQLiteStore(schema, in: SQLiteDatabase(.memory)))] {
            try store.insert(rows).get()
            #expect(try store.all().sorted(by: \.id).result().get() == rows)
            #expect(try store.filter(where: \.id == 2).result().get() == [rows[1]])
        }
    }
}
