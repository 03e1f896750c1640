import FeedbackTesting
import Foundation
import JSONSamples
import Persistence
import Testing

@testable import Sync

/// Reads random bodies as rows of random schemas, by the schema and with `JSONDecoder`. `JSON_CASES=1000000 JSON_SEED=7` runs more
/// cases, and other ones; `JSON_DAMAGE=1` damages the bytes of each body.
///
/// The differences that are meant: a body, or the text of a value kept as JSON, that is not strict JSON is refused, and a number
/// may also be a text, such as "NaN".
@Suite("Rows by schema are those of JSONDecoder", .onOwnThread)
struct RowDifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let cases = environment["JSON_CASES"].flatMap { Int($0) } ?? 2_000
    private static let seed = environment["JSON_SEED"].flatMap { UInt64($0) } ?? 20_261_127

    @Test(
        "Rows have equal values, and errors name a row and a column that cannot be read",
        .timeLimit(.minutes(cases > 100_000 ? 600 : 30)))
    func differential() {
        var dice = Dice(seed: Self.seed)
        var (read, unreadable, refused) = (0, 0, 0)
        // Each type of row takes memory until the end.
        let schemas = (0..<min(1_000, 1 + Self.cases / 50)).map { _ in SampleSchema(&dice) }
        for number in 0..<Self.cases {
            let schema = schemas[dice.next(below: schemas.count)]
            var random = RandomRows(dice: Dice(seed: dice.next()), schema: schema)
            let bytes = random.body()
            let isStrict = StrictGrammar.accepts(bytes)
            let rows = isStrict ? schema.decoded(Data(bytes)) : nil
            if !isStrict {
                refused += 1
            } else if rows?.joined().contains(nil) ?? true {
                unreadable += 1
            } else {
                read += 1
            }
            if number % 50_000 == 49_999 { Progress.show("\(number + 1) bodies of seed \(Self.seed)") }
            guard let difference = Self.difference(schema, Data(bytes), rows) else { continue }
            Issue.record(
                "case \(number) of seed \(Self.seed): \(difference): \(String(decoding: bytes, as: UTF8.self)) as \(schema)"
            )
        }
        // Cases that nearly all fail, or of which none fails, would prove little.
        #expect(read > Self.cases / (Damage.isEverywhere ? 20 : 3))
        #expect(unreadable > Self.cases / 20)
        #expect(refused > Self.cases / 20)
        print(
            "\(Self.cases) bodies of seed \(Self.seed): \(read) read, \(unreadable) unreadable, \(refused) not strict JSON"
        )
    }

    /// Returns a difference in words.
    ///
    /// - Parameter rows: The values that are expected; `nil` if the body is not a list of rows.
    private static func difference(_ schema: SampleSchema, _ body: Data, _ rows: [[PrimitiveValue?]]?) -> String? {
        let (strict, lenient) = (schema.read(body), schema.readLeniently(body))
        guard let rows else {
            if case .success = strict { return "rows are read from what is not a list of rows" }
            if case .success = lenient { return "rows are read leniently from what is not a list of rows" }
            return nil
        }
        let complete = rows.map { row in row.contains(nil) ? nil : row.compactMap(\.self) }
        guard let first = complete.firstIndex(of: nil) else {
            guard case .success(let values) = strict, areSame(values, complete) else {
                return "\(complete), ours \(strict)"
            }
            guard case .success(let page) = lenient, page.unreadable.isEmpty, areSame(page.rows, complete) else {
                return "\(complete), ours leniently \(lenient)"
            }
            return differenceOfWriting(schema, body, complete)
        }
        guard case .failure(.parsing(let failure)) = strict, names(failure.path, in: rows[first], number: first, schema)
        else { return "row \(first) cannot be read, ours \(strict)" }
        switch lenient {
        case .success(let page):
            guard areSame(page.rows, complete.filter { $0 != nil }) else {
                return "\(complete), ours leniently \(page.rows)"
            }
            let indices = complete.indices.filter { complete[$0] == nil }
            guard page.unreadable.map(\.index) == indices else {
                return "rows \(indices) cannot be read, ours \(lenient)"
            }
        case .failure(.parsing(let failure)):
            // A row is left out only if its id says which one it is.
            let unnamed = rows.indices.filter { rows[$0][0] == nil }
            guard unnamed.contains(where: { names(failure.path, in: rows[$0], number: $0, schema) }) else {
                return "all ids are known, ours leniently \(failure)"
            }
        case .failure(let error): return "ours leniently \(error)"
        }
        return nil
    }

    /// Returns a difference of the rows after they were written and read again.
    private static func differenceOfWriting(_ schema: SampleSchema, _ body: Data, _ rows: [[PrimitiveValue]?])
        -> String?
    {
        guard case .success(let written) = schema.rewrite(body) else { return "rows that were read cannot be written" }
        guard StrictGrammar.accepts(Array(written)) else { return "what is written is not JSON" }
        guard let decoded = schema.decoded(written),
            areSame(rows.compactMap(\.self), decoded.map { $0.compactMap(\.self) })
        else { return "\(rows), written \(String(decoding: written, as: UTF8.self))" }
        return nil
    }

    private static func names(_ path: String, in row: [PrimitiveValue?], number: Int, _ schema: SampleSchema) -> Bool {
        row.indices.contains { row[$0] == nil && path == "[\(number)].\(schema.names[$0])" }
    }

    private static func areSame(_ rows: [[PrimitiveValue]], _ others: [[PrimitiveValue]?]) -> Bool {
        rows.count == others.count
            && zip(rows, others).allSatisfy { row, other in
                row.count == other?.count && zip(row, other ?? []).allSatisfy(isSame)
            }
    }

    /// Compares floating-point numbers by their bits, but all NaNs are the same.
    private static func isSame(_ value: PrimitiveValue, _ other: PrimitiveValue) -> Bool {
        switch (value, other) {
        case (.real(let value), .real(let other)):
            value.bitPattern == other.bitPattern || value.isNaN && other.isNaN
        case (.date(let value), .date(let other)):
            value.timeIntervalSinceReferenceDate == other.timeIntervalSinceReferenceDate
        default: value == other
        }
    }
}
