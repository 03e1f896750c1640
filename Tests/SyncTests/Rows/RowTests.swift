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
        "A number that a Float can only hold as infinity or as zero is an error",
        arguments: ["1e39", "-1e300", "1e-60", "1e400"])
    func narrow(number: String) {
        for body in [#"[{"id":1,"weight":\#(number)}]"#, #"[{"id":1,"weight":"\#(number)"}]"#] {
            let parcels = Parcel.schema.objects(fromJSON: Data(body.utf8))
            guard case let .failure(.parsing(failure)) = parcels else {
                Issue.record("\(body) is read as \(parcels)")
                continue
            }
            #expect(failure.path == "[0].weight")
        }
    }

    @Test("A text that stands for a number beyond all others is not a number", arguments: ["1e400", "-1e309"])
    func beyond(text: String) {
        #expect(PrimitiveValue(postgresText: text, kind: .real) == nil)
    }

    @Test("Each of PostgreSQL's words for infinity is read", arguments: ["Infinity", "inf", "+Infinity", "+inf"])
    func infinity(word: String) {
        #expect(PrimitiveValue(postgresText: word, kind: .real) == .real(.infinity))
        #expect(PrimitiveValue(postgresText: word.replacing("+", with: ""), kind: .real) == .real(.infinity))
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

    @Test("A text that is not a value of an enum is an error, also after texts that are")
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

    @Test(
        "Each common type is read from its own kind of value only, and an optional one from null",
        arguments: [
            (#""i":1"#, true), (#""i":1.0"#, true), (#""i":1.5"#, false), (#""i":"1""#, false), (#""i":null"#, false),
            (#""d":1"#, true), (#""d":-1e-3"#, true), (#""d":"Infinity""#, true), (#""d":"1x""#, false),
            (#""d":null"#, false),
            (#""b":true"#, true), (#""b":1"#, false), (#""b":"true""#, false), (#""b":null"#, false),
            (#""s":"é\n""#, true), (#""s":1"#, false), (#""s":"\ud800""#, false), (#""s":null"#, false),
            (#""oi":null"#, true), (#""oi":2"#, true), (#""oi":"2""#, false), (#""od":null"#, true),
            (#""od":0.5"#, true),
            (#""od":[]"#, false), (#""ob":null"#, true), (#""ob":false"#, true), (#""ob":0"#, false),
            (#""os":null"#, true),
            (#""os":"t""#, true), (#""os":{}"#, false),
        ])
    func common(member: String, isRead: Bool) throws {
        let name = member.dropFirst().prefix { $0 != "\"" }
        let others = [#""i":7"#, #""d":7"#, #""b":true"#, #""s":"seven""#].filter { !$0.hasPrefix("\"\(name)\"") }
        let body = Data("[{\((["\"id\":1"] + others + [member]).joined(separator: ","))}]".utf8)
        let rows = Common.schema.objects(fromJSON: body)
        if isRead {
            #expect(try rows.get() == JSONDecoder.rows.decode([Common].self, from: body))
        } else if case let .failure(.parsing(failure)) = rows {
            #expect(failure.path == "[0].\(name)")
        } else {
            Issue.record("\(member) is read as \(rows)")
        }
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

private struct Common: Identifiable, Equatable, Decodable {
    var id: Int
    var i: Int
    var d: Double
    var b: Bool
    var s: String
    var oi: Int?
    var od: Double?
    var ob: Bool?
    var os: String?

    static let schema = Schema<Common>(
        "common", Common.init, Column("id", \.id), Column("i", \.i), Column("d", \.d), Column("b", \.b),
        Column("s", \.s),
        Column("oi", \.oi), Column("od", \.od), Column("ob", \.ob), Column("os", \.os))
}

extension JSONDecoder {
    /// A decoder that reads the words for infinity, as rows do.
    fileprivate static var rows: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
    }
}

private struct Parcel: Identifiable, Equatable {
    var id: Int
    var weight: Float

    static let schema = Schema<Parcel>("parcels", Parcel.init, Column("id", \.id), Column("weight", \.weight))
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
