import Foundation
import LocalBackend
import Persistence
import Testing

@testable import TableBackend

/// The rows that a client sends, and the answers to changes.
struct TableWritingTests {
    private let whole = "return=representation"

    /// A film in JSON with these ids.
    private func rows(_ ids: Int...) -> String {
        let rows = ids.map { #"{"id":\#($0),"title":"Alien","rating":"R","score":8.5,"isColor":true}"# }
        return "[\(rows.joined(separator: ","))]"
    }

    @Test("A JSON value of another type than its column is read from its text, as in PostgreSQL")
    func values() async throws {
        try await withTable { (client) async throws in
            let target = "/films?id=eq.1&select=title,rating,year,isColor"
            for (body, text) in [
                (
                    #"{"title": {"a": [1, null]}, "rating": 12.50, "year": " 1950 ", "isColor": true}"#,
                    #"[{"title":"{\"a\":[1,null]}","rating":"12.50","year":1950,"isColor":true}]"#
                ),
                (
                    #"{"title": [], "rating": false, "year": null, "isColor": "f"}"#,
                    #"[{"title":"[]","rating":"false","year":null,"isColor":false}]"#
                ),
                (
                    #"{"title": " x ", "rating": true, "isColor": 1}"#,
                    #"[{"title":" x ","rating":"true","year":null,"isColor":true}]"#
                ),
                (#"{"isColor": false}"#, #"[{"title":" x ","rating":"true","year":null,"isColor":false}]"#),
            ] {
                #expect(try await client.send("PATCH", target, body, prefer: whole).text == text)
            }
        }
    }

    @Test("Rows that differ in their keys are refused unless the columns to write are named")
    func keys() async throws {
        try await withTable { (client) async throws in
            let film = #""title":"Alien","rating":"R","score":8.5,"isColor":true"#
            for body in [
                "[{\"id\":8,\(film)},{\"id\":9,\"year\":1979,\(film)}]",
                "[{\"id\":9,\"year\":1979,\(film)},{\"id\":8,\(film)}]",
                "{\"id\":8,\"id\":8,\(film)}", "[{\"id\":8,\(film)},8]", "[1]", "1", "[",
            ] {
                let answer = try await client.send("POST", "/films", body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.text.contains("PGRST102"), "\(body)")
            }
            let columns = "columns=id,title,rating,year,score,isColor,id"
            let named = try await client.send(
                "POST", "/films?\(columns)&select=id,year",
                "[{\"id\":8,\(film)},{\"nobody\":0,\"id\":9,\"year\":1979,\(film)}]", prefer: whole)
            #expect(named.text == #"[{"id":8,"year":null},{"id":9,"year":1979}]"#)
            let none = try await client.send("POST", "/films", "[]", prefer: whole)
            #expect(none.status == 201 && none.text == "[]")
        }
    }

    @Test("An upsert must not change a row twice, and one that ignores duplicates keeps the first row")
    func affectedTwice() async throws {
        try await withTable { (client) async throws in
            let rows = [("Alien", "R"), ("Aliens", "R")].map {
                #"{"id":8,"title":"\#($0)","rating":"\#($1)","score":8.5,"isColor":true}"#
            }
            let body = "[\(rows[0]),\(rows[1])]"
            let refused = try await client.send("POST", "/films", body, prefer: "resolution=merge-duplicates")
            #expect(refused.status == 500 && refused.text.contains("21000"))
            #expect(try await client.send("GET", "/films?id=eq.8").text == "[]")
            let kept = try await client.send(
                "POST", "/films?select=title", body, prefer: "resolution=ignore-duplicates,\(whole)")
            #expect(kept.status == 201 && kept.text == #"[{"title":"Alien"}]"#)
            #expect(try await client.send("POST", "/films", body).status == 409)
        }
    }

    @Test("The rows of an answer have the order of the query, or the one in which they were sent")
    func order() async throws {
        try await withTable { (client) async throws in
            let added = try await client.send("POST", "/films?select=id&order=id.desc", rows(8, 9), prefer: whole)
            #expect(added.text == #"[{"id":9},{"id":8}]"#)
            let others = try await client.send("POST", "/films?select=id", rows(11, 10), prefer: whole)
            #expect(others.text == #"[{"id":11},{"id":10}]"#)
            let changed = try await client.send(
                "PATCH", "/films?select=id&id=lt.3&order=id.desc", #"{"year":1}"#, prefer: whole)
            #expect(changed.text == #"[{"id":2},{"id":1}]"#)
            let deleted = try await client.send("DELETE", "/films?select=id&id=lt.3&order=id.desc", prefer: whole)
            #expect(deleted.text == #"[{"id":2},{"id":1}]"#)
        }
    }

    @Test("The range of an answer to a change counts its rows if the client asks for that")
    func ranges() async throws {
        try await withTable { (client) async throws in
            let change = #"{"title":"New"}"#
            for (filter, prefer, range) in [
                ("year=eq.1950", nil, "0-1/*"), ("year=eq.1950", "count=exact", "0-1/2"), ("id=eq.99", nil, "*/*"),
                ("id=eq.99", "count=exact", "*/0"),
            ] {
                // The header field counts for reading only.
                let answer = try await client.send("PATCH", "/films?\(filter)", change, prefer: prefer, range: "0-0")
                #expect(answer.range == range)
            }
            #expect(try await client.send("POST", "/films", rows(8)).range == "*/*")
            #expect(try await client.send("POST", "/films", rows(9), prefer: "count=exact").range == "*/1")
            #expect(try await client.send("DELETE", "/films?id=eq.8").range == "*/*")
            #expect(try await client.send("DELETE", "/films?id=gt.8", prefer: "count=exact").range == "*/1")
        }
    }

    @Test("A change of an id moves the row, and the other rows of the filter stay where they are")
    func moving() async throws {
        try await withTable { (client) async throws in
            let moved = try await client.send(
                "PATCH", "/films?id=in.(1,2)&select=id", #"{"id":1,"title":"New"}"#, prefer: whole)
            #expect(moved.status == 409)
            let one = try await client.send(
                "PATCH", "/films?id=eq.2&select=id,title", #"{"id":20,"title":"New"}"#, prefer: whole)
            #expect(one.text == #"[{"id":20,"title":"New"}]"#)
            let ids = try await client.send("GET", "/films?select=id&order=id")
            #expect(ids.text == #"[{"id":1},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":20}]"#)
        }
    }

    @Test("If the client accepts one object only, a change of more or no rows is refused")
    func objects() async throws {
        try await withTable { (client) async throws in
            let object = "application/vnd.pgrst.object+json"
            let change = #"{"title":"New"}"#
            for filter in ["year=eq.1950", "id=eq.99"] {
                #expect(try await client.send("PATCH", "/films?\(filter)", change, accept: object).status == 406)
            }
            let changed = try await client.send(
                "PATCH", "/films?id=eq.4&select=title", change, prefer: whole, accept: object)
            #expect(changed.text == #"{"title":"New"}"#)
            #expect(try await client.send("GET", "/films?title=eq.New&select=id").text == #"[{"id":4}]"#)
        }
    }

    @Test("A row that its column or its property cannot hold is refused, and the refusal says which value it is")
    func unfitRows() async throws {
        try await withTable(of: [], Review.schema) { (client) async throws in
            for (grade, stars, texts) in [
                ("null", "3", ["23502", "null value in column \\\"grade\\\"", "(a, null, 3, 1.0)"]),
                ("\"fine\"", "3", ["22P02", "invalid input value for enum grade: \\\"fine\\\""]),
                ("\"good\"", "300", ["22003", "value \\\"300\\\" is out of range for type bigint"]),
                ("\"good\"", "\"x\"", ["22P02", "invalid input syntax for type bigint: \\\"x\\\""]),
            ] {
                let row = "{\"id\":\"a\",\"grade\":\(grade),\"stars\":\(stars),\"weight\":1}"
                let answer = try await client.send("POST", "/reviews", row)
                #expect(answer.status == 400)
                for text in texts { #expect(answer.text.contains(text), "\(answer.text)") }
            }
            #expect(try await client.send("GET", "/reviews").text == "[]")
        }
    }

    @Test("A row that the table's check refuses is not stored, also if it is changed or has an id that exists")
    func check() async throws {
        let make = { (store: SQLiteStore<Film>) in
            Table(store, Film.schema) { $0.title == "Alien" ? "Aliens only." : nil }
        }
        try await withTable(of: Film.all, Film.schema, as: make) { (client) async throws in
            for (method, target, body, prefer) in [
                ("POST", "/films", rows(8), nil), ("POST", "/films", rows(7), "resolution=merge-duplicates"),
                ("PATCH", "/films?id=eq.1", #"{"title":"Alien"}"#, nil),
            ] {
                let refused = try await client.send(method, target, body, prefer: prefer)
                #expect(refused.status == 400)
                #expect(refused.text.contains("23514") && refused.text.contains("Aliens only."))
            }
            #expect(try await client.send("GET", "/films?title=eq.Alien").text == "[]")
        }
    }

    @Test("The place of a new row is a URL, whatever its id is")
    func location() async throws {
        try await withTable(of: [], Review.schema) { (client) async throws in
            let row = #"{"id":"a b/-_.c&d","grade":"good","stars":3,"weight":1}"#
            let added = try await client.send("POST", "/reviews", row, prefer: "return=headers-only")
            let location = try #require(added.location)
            #expect(location == "/reviews?id=eq.a%20b%2F-_.c%26d")
            #expect(try await client.send("GET", location).text.contains("a b/-_.c&d"))
        }
    }

    @Test("A kept answer has the status and the header fields of the first one, and is kept for a week")
    func keptAnswers() async throws {
        let database = try SQLiteDatabase(.memory)
        let answers = try SQLiteStore(KeptAnswer.schema, in: database)
        for (id, days) in [("younger", 6.0), ("older", 8.0)] {
            let time = Date.now - days * 86_400
            try await answers.insert([KeptAnswer(id: id, time: time, status: 204, headers: "", body: Data())])
        }
        let backend = LocalBackend()
        let store = try SQLiteStore(Film.schema, in: database)
        backend.serve(Table(store, Film.schema, keepingAnswersIn: answers), at: "/a:b/films")
        let client = Client(url: try await backend.start(), key: "one")
        for _ in 1...2 {
            let added = try await client.send("POST", "/a:b/films", rows(8), prefer: "return=headers-only,count=exact")
            #expect(added.status == 201 && added.text.isEmpty)
            #expect(added.location == "/a:b/films?id=eq.8")
            #expect(added.range == "*/1")
            #expect(added.applied == "return=headers-only, count=exact")
        }
        #expect(try await answers.all().result().value().map(\.id).sorted() == ["POST films one", "younger"])
        // Without a key, each request is performed.
        let other = Client(url: client.url)
        #expect(try await other.send("POST", "/a:b/films", rows(8)).status == 409)
        await backend.stop(within: .zero)
    }
}
