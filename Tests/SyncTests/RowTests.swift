import Foundation
import Networking
import Persistence
import Synchronization
import Testing

@testable import Sync

struct RowTests {
    @Test("A nil property is written as null, since a server does not change columns that are not sent")
    func nulls() throws {
        let json = try Film.schema.json(of: .fixture(year: nil, score: nil, tagline: nil)).get()
        let row = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(Set(row.keys) == ["id", "title", "rating", "budget", "year", "score", "tagline"])
        #expect(row["year"] is NSNull)
    }

    @Test("Text is written in composed form")
    func composedText() throws {
        let json = try Film.schema.json(of: .fixture(title: "Ame\u{301}lie")).get()
        #expect(String(decoding: json, as: UTF8.self).unicodeScalars.contains("\u{E9}"))
    }

    @Test("Every kind of value comes back as it was", arguments: Measurement.extremes)
    func roundTrip(measurement: Measurement) throws {
        let json = try Measurement.schema.json(of: [measurement]).get()
        #expect(try Measurement.schema.objects(fromJSON: json).get() == [measurement])
    }

    @Test("An error names the row and the column")
    func errors() throws {
        let json = Data(#"[{"number":2,"taken_at":"yesterday"}]"#.utf8)
        guard case let .failure(.parsing(failure)) = Measurement.schema.objects(fromJSON: json) else {
            Issue.record("Expected a failure of parsing.")
            return
        }
        #expect(failure.path == "[0].taken_at")
    }

    @Test("A value of another type is an error, also in a column that may have none")
    func wrongOptional() throws {
        let row = #"[{"id":"00000000-0000-0000-0000-000000000001","title":"A","rating":"G","budget":1,"year":"x"}]"#
        guard case let .failure(.parsing(failure)) = Film.schema.objects(fromJSON: Data(row.utf8)) else {
            Issue.record("Expected a failure of parsing.")
            return
        }
        #expect(failure.path == "[0].year")
    }

    @Test(
        "A truth value has each of PostgreSQL's words, in any case",
        arguments: [
            ("true", true), ("t", true), ("YES", true), ("on", true), ("1", true), ("false", false), ("F", false),
            ("no", false), ("off", false), ("0", false), ("maybe", nil), ("", nil),
        ])
    func truth(text: String, value: Bool?) {
        #expect(PrimitiveValue(postgresText: text, kind: .bool) == value.map { .bool($0) })
    }

    @Test("An error has its place in the body")
    func places() throws {
        func place(_ body: String) -> ParsingFailure.Place? {
            guard case let .failure(.parsing(failure)) = Film.schema.objects(fromJSON: Data(body.utf8)) else {
                return nil
            }
            return failure.place
        }
        let film = #"{"id":"00000000-0000-0000-0000-000000000001","title":"A","rating":"G","budget":1}"#
        let wrong = #"{"id":"00000000-0000-0000-0000-000000000002","title":"A","rating":"G","budget":"much"}"#
        #expect(place("[\(film),\n\(wrong)]").map { [$0.line, $0.column] } == [2, 80])
        // The row itself, if the column is missing.
        #expect(place("[\(film),\n {}]").map { [$0.line, $0.column] } == [2, 2])
        #expect(place("[\(film),\n\n7]").map { [$0.line, $0.column] } == [3, 1])
        #expect(place("{}").map { [$0.line, $0.column] } == [1, 1])
        #expect(place("[\(film)").map { [$0.line, $0.column] } == [1, film.utf8.count + 2])
    }

    @Test("Rows may leave keys out, and have them in any order and beside others")
    func shapes() throws {
        var numbers = SeededNumbers(seed: 3)
        let films = (0..<300).map { number in
            Film.fixture(
                id: .fixture(UInt32(number)), title: "Film \(number)", budget: number,
                year: Bool.random(using: &numbers) ? number : nil, score: Bool.random(using: &numbers) ? 0.5 : nil,
                tagline: Bool.random(using: &numbers) ? "\"quoted\"" : nil)
        }
        let rows = films.map { film in
            var members = [
                #""id":"\#(film.id)""#, #""title":"\#(film.title)""#, #""rating":"R""#, "\"budget\":\(film.budget)",
            ]
            if let year = film.year { members.append("\"year\":\(year)") }
            if film.score != nil { members.append("\"score\":5e-1") }
            if film.tagline != nil { members.append(#""tagline":"\"quoted\"""#) }
            if Bool.random(using: &numbers) { members.append(#""other":{"title":[]}"#) }
            return "{\(members.shuffled(using: &numbers).joined(separator: ","))}"
        }
        let body = Data("[\(rows.joined(separator: ","))]".utf8)
        #expect(try Film.schema.objects(fromJSON: body).get() == films)
    }

    @Test("Each text of a column with a raw value is read as its own value, also when it stands again")
    func rawValues() throws {
        struct Note: Identifiable, Equatable {
            var id: Int
            var label: Label
            var other: Label?

            static let schema = Schema(
                "notes", { Note(id: $0, label: $1, other: $2) }, Column("id", \.id), Column("label", \.label),
                Column("other", \.other))
        }
        let texts =
            [
                "", "a", "b", "aa", "é", "\"", "\u{0}", "a\u{0}", "exactly8", "exactly9.", "16 bytes of text",
                "17 bytes of text.",
            ]
            + (0..<30).map { "label \($0)" }
        let notes = (texts + texts.reversed() + texts).enumerated().map { number, text in
            Note(id: number, label: Label(rawValue: text), other: number % 3 == 0 ? nil : Label(rawValue: text))
        }
        let json = try Note.schema.json(of: notes).get()
        #expect(try Note.schema.objects(fromJSON: json).get() == notes)
    }

    @Test("A text that is no value of an enum is an error, also after texts that are")
    func wrongRawValue() throws {
        let rows = ["G", "R", "G", "X"].map {
            #"{"id":"00000000-0000-0000-0000-000000000001","title":"A","rating":"\#($0)","budget":1}"#
        }
        let body = Data("[\(rows.joined(separator: ","))]".utf8)
        guard case let .failure(.parsing(failure)) = Film.schema.objects(fromJSON: body) else {
            Issue.record("Expected a failure of parsing.")
            return
        }
        #expect(failure.path == "[3].rating")
    }

    @Test("A property that is computed has a column like any other")
    func computedProperties() throws {
        struct Person: Identifiable, Equatable {
            var id: Int
            var first: String
            var last: String
            var name: String { "\(first) \(last)" }

            static let schema = Schema(
                "people",
                { id, first, last, _ in Person(id: id, first: first, last: last) },
                Column("id", \.id), Column("first", \.first), Column("last", \.last), Column("name", \.name))
        }
        let people = [Person(id: 1, first: "Ada", last: "Lovelace")]
        let json = try Person.schema.json(of: people).get()
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"[{"id":1,"first":"Ada","last":"Lovelace","name":"Ada Lovelace"}]"#)
        #expect(try Person.schema.objects(fromJSON: json).get() == people)
    }

    @Test("Values that were read are released if a later value cannot be read")
    func release() throws {
        struct Page: Identifiable {
            var id: Int
            var text: Counted
            var size: Int
        }
        let schema = Schema(
            "pages", { Page(id: $0, text: $1, size: $2) }, Column("id", \.id), Column("text", \.text),
            Column("size", \.size))
        let before = Counted.count
        let body = #"[{"id":1,"text":"a","size":1},{"id":2,"text":"b","size":null}]"#
        #expect(throws: CoreError.self) { try schema.objects(fromJSON: Data(body.utf8)).get() }
        #expect(Counted.count == before)
    }
}

private struct Label: RawRepresentable, Primitive {
    let rawValue: String
}

/// A text that counts how many of its kind there are. One test uses it.
private struct Counted: RawRepresentable, Primitive {
    private final class Token: Sendable {
        init() { Counted.tokens.add(1, ordering: .relaxed) }
        deinit { Counted.tokens.subtract(1, ordering: .relaxed) }
    }

    private static let tokens = Atomic(0)
    static var count: Int { tokens.load(ordering: .relaxed) }

    let rawValue: String
    private let token = Token()

    init(rawValue: String) { self.rawValue = rawValue }

    static func == (lhs: Counted, rhs: Counted) -> Bool { lhs.rawValue == rhs.rawValue }
    func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

struct TimestampTests {
    @Test(
        "A date is written as PostgreSQL writes it, and read back",
        arguments: [
            (0, "2001-01-01T00:00:00+00:00"), (0.5, "2001-01-01T00:00:00.5+00:00"),
            (-0.000_001, "2000-12-31T23:59:59.999999+00:00"), (814_474_800.25, "2026-10-23T19:00:00.25+00:00"),
            (-31_622_400, "2000-01-01T00:00:00+00:00"), (99_705_599, "2004-02-28T23:59:59+00:00"),
            (99_705_600, "2004-02-29T00:00:00+00:00"), (-63_113_904_000, "0001-01-01T00:00:00+00:00"),
            (252_423_993_599, "9999-12-31T23:59:59+00:00"), (.infinity, "infinity"), (-.infinity, "-infinity"),
        ] as [(TimeInterval, String)])
    func writing(seconds: TimeInterval, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let timestamp = try #require(Timestamp(date))
        #expect(timestamp.description == text)
        #expect(Timestamp(text)?.date == date)
    }

    @Test("The calendar is Foundation's", arguments: [0, 1, 2])
    func calendar(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let style = Date.ISO8601FormatStyle(timeZone: .gmt)
        for _ in 0..<2_000 {
            let seconds = Int.random(in: -50_000_000_000..<250_000_000_000, using: &random)
            let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
            let text = try #require(Timestamp(date)).description
            // Foundation changes to the Julian calendar in 1582.
            if seconds > -13_200_000_000 { #expect(text.hasPrefix(style.format(date).dropLast()), "\(text)") }
            #expect(Timestamp(text)?.date == date)
        }
    }

    @Test(
        "The last microsecond of the year 9999, with which tables mark what has no end, can be written back",
        arguments: ["", ".999984", ".999999", ".9999999"])
    func lastMoment(fraction: String) throws {
        let read = try #require(Timestamp("9999-12-31T23:59:59\(fraction)+00:00"))
        let written = try #require(Timestamp(read.date))
        #expect(written.description.hasPrefix("9999-12-31T23:59:59"))
        #expect(written.date == read.date)
        #expect(Timestamp("9999-12-31T23:59:59-01:00") == nil)
    }

    @Test("Every date between 1930 and 2070 is exact if it is a whole number of microseconds")
    func exact() {
        var random = SeededNumbers(seed: 1)
        for _ in 0..<5_000 {
            let microseconds = Int64.random(in: -2_200_000_000_000_000..<2_200_000_000_000_000, using: &random)
            let date = Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
            let timestamp = Timestamp(date)
            #expect(timestamp?.isExact == true)
            #expect(timestamp?.date == date)
        }
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0.000_000_1))?.isExact == false)
    }

    @Test(
        "Other forms of a timestamp are read",
        arguments: [
            "2026-10-23T19:00:00.25Z", "2026-10-23 19:00:00.250000+00", "2026-10-23T21:30:00.25+02:30",
            "2026-10-23T18:00:00.2500004-01", "2026-10-23T19:00:00.2499996",
        ])
    func otherForms(text: String) {
        #expect(Timestamp(text)?.date == Date(timeIntervalSinceReferenceDate: 814_474_800.25))
    }

    @Test(
        "A text that is not a moment is refused",
        arguments: [
            "", "now", "2026-13-01", "2026-02-29", "2026-01-01T25:00:00", "2026-01-01T00:00:00+99", "2026-1-1", "NaN",
            "0000-01-01",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("A date that PostgreSQL cannot keep has no timestamp", arguments: [.nan, 1e15, -1e12] as [Double])
    func impossible(seconds: Double) {
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
}
