import Foundation
import LocalBackend
import Persistence
import Testing

@testable import TableBackend

/// The forms and the extent of answers, and the requests that are refused.
struct TableReadingTests {
    @Test(
        "An answer has at most as many rows as the table allows",
        arguments: [
            ("", "0-1/7", 206), ("&limit=1", "0-0/7", 206), ("&limit=5", "0-1/7", 206), ("&limit=0", "*/7", 206),
            ("&offset=5", "5-6/7", 206), ("&offset=6", "6-6/7", 206), ("&id=lt.3", "0-1/2", 200),
        ])
    func maximumRows(query: String, range: String, status: Int) async throws {
        let make = { (store: SQLiteStore<Film>) in Table(store, Film.schema, maximumRows: 2) }
        try await withTable(of: Film.all, Film.schema, as: make) { (client) async throws in
            let answer = try await client.send("GET", "/films?select=id\(query)", prefer: "count=exact")
            #expect(answer.range == range)
            #expect(answer.status == status)
        }
    }

    @Test("The header field for the range counts as the query does, but only for GET")
    func headerRange() async throws {
        try await withTable { (client) async throws in
            let part = try await client.send("GET", "/films?select=id", range: "2-3")
            #expect(part.status == 200 && part.range == "2-3/*")
            #expect(part.text == #"[{"id":3},{"id":4}]"#)
            #expect(try await client.send("GET", "/films?select=id", range: "5-").range == "5-6/*")
            #expect(try await client.send("HEAD", "/films?select=id", range: "5-").range == "0-6/*")
            #expect(try await client.send("GET", "/films", range: "3-2").status == 416)
            let none = try await client.send("GET", "/films?limit=0")
            #expect(none.status == 200 && none.text == "[]" && none.range == "*/*")
        }
    }

    @Test("Values that are null are left out if the client accepts that, of one object as of many")
    func nulls() async throws {
        try await withTable { (client) async throws in
            let target = "/films?id=eq.6&select=id,year"
            for (accept, type, text) in [
                ("application/*", "application/json", #"[{"id":6,"year":null}]"#),
                ("application/vnd.pgrst.array", "application/json", #"[{"id":6,"year":null}]"#),
                (
                    "application/vnd.pgrst.array;nulls=stripped", "application/vnd.pgrst.array+json;nulls=stripped",
                    #"[{"id":6}]"#
                ),
                (
                    "application/vnd.pgrst.object", "application/vnd.pgrst.object+json", #"{"id":6,"year":null}"#
                ),
                (
                    "application/vnd.pgrst.object+json;nulls=stripped",
                    "application/vnd.pgrst.object+json;nulls=stripped", #"{"id":6}"#
                ),
                ("text/csv;q=0, application/json;q=0.5", "application/json", #"[{"id":6,"year":null}]"#),
                ("text/csv, application/json", "text/csv", "id,year\n6,"),
                ("TEXT/CSV;q=0.2, application/json;q=0.1", "text/csv", "id,year\n6,"),
                ("*/*, text/csv", "text/csv", "id,year\n6,"),
                ("application/*, application/json;q=nan, text/csv", "application/json", #"[{"id":6,"year":null}]"#),
                (
                    "application/vnd.pgrst.object, application/vnd.pgrst.object;nulls=stripped",
                    "application/vnd.pgrst.object+json;nulls=stripped", #"{"id":6}"#
                ),
            ] {
                let answer = try await client.send("GET", target, accept: accept)
                #expect(answer.type == "\(type); charset=utf-8")
                #expect(answer.text == text)
            }
        }
    }

    @Test("Values in CSV are written as PostgreSQL writes them")
    func csv() throws {
        let time = Date(timeIntervalSince1970: 0)
        let rows = TableAnswer.Rows(
            names: ["a", "b"],
            values: [
                [.text(""), .null], [.text("a b"), .bool(false)], [.text(#"a"b\"#), .bool(true)],
                [.text("(x"), .text("x)")], [.text("x,y"), .text("xTy")], [.date(time), .integer(1)],
            ])
        let text = #"""
            a,b
            "",
            "a b",f
            "a""b\\",t
            "(x","x)"
            "x,y",xTy
            "1970-01-01 00:00:00+00",1
            """#
        #expect(try rows.data(as: .csv) == Data(text.utf8))
    }

    @Test("A request that a table does not serve is refused")
    func refusals() async throws {
        try await withTable { (client) async throws in
            let put = try await client.send("PUT", "/films?id=eq.1", "{}")
            #expect(put.status == 405 && put.text.contains("Unsupported HTTP method: PUT"))
            for method in ["GET", "POST"] {
                let function = try await client.send(method, "/rpc/add")
                #expect(function.status == 404 && function.text.contains("public.add"))
            }
        }
    }

    @Test("An unknown preference is refused if the client asks for strict handling, and ignored otherwise")
    func unknownPreferences() async throws {
        try await withTable { (client) async throws in
            let refused = try await client.send(
                "GET", "/films", prefer: "handling=strict, tea=hot, count=exact, return=all")
            #expect(refused.status == 400)
            #expect(refused.text.contains("PGRST122") && refused.text.contains("preferences: tea=hot, return=all"))
            for prefer in [
                "handling=lenient, tea=hot", "tea=hot", "handling=strict, timezone=UTC, tx=commit, max-affected=1",
            ] {
                #expect(try await client.send("GET", "/films", prefer: prefer).status == 200)
            }
        }
    }

    @Test("The first of several values of a preference counts")
    func firstPreference() {
        let preferences = Preferences([
            "Prefer": "return=minimal, return=representation, max-affected=3, count=planned", "prefer": "count=exact",
        ])
        #expect(preferences.representation == .minimal)
        #expect(preferences.count == .planned)
        #expect(preferences.maximumAffected == 3)
        #expect(preferences.appliedToUpdating == "return=minimal, count=planned")
    }

    @Test("A key of any length is ignored when rows are read")
    func keyOfReading() async throws {
        try await withTable { (client) async throws in
            let client = Client(url: client.url, key: String(repeating: "k", count: 256))
            for method in ["GET", "HEAD"] { #expect(try await client.send(method, "/films").status == 200) }
            #expect(try await client.send("DELETE", "/films").status == 400)
        }
    }

    @Test("A value that no property can have equals none, and has no place among those that it can have")
    func unfitValues() async throws {
        let reviews = [Review(id: "a"), Review(id: "b", grade: .bad, stars: 5, weight: .nan)]
        try await withTable(of: reviews, Review.schema) { (client) async throws in
            for (filter, text) in [
                ("grade=eq.good", #"[{"id":"a"}]"#), ("grade=eq.fine", "[]"),
                ("grade=neq.fine", #"[{"id":"a"},{"id":"b"}]"#),
                ("stars=eq.300", "[]"), ("grade=in.(bad,fine)", #"[{"id":"b"}]"#),
                // PostgreSQL rounds the number to the type of the column.
                ("weight=eq.0.1", #"[{"id":"a"}]"#), ("weight=eq.NaN", #"[{"id":"b"}]"#),
                ("weight=gt.0.05", #"[{"id":"a"},{"id":"b"}]"#), ("weight=lt.0.2", #"[{"id":"a"}]"#),
            ] {
                #expect(try await client.send("GET", "/reviews?select=id&\(filter)").text == text, "\(filter)")
            }
            let refused = try await client.send("GET", "/reviews?stars=lt.300")
            #expect(refused.status == 400 && refused.text.contains("22003"))
        }
    }

    @Test(
        "An error of the store has PostgreSQL's code, and a status that says whether to try again",
        arguments: [
            (StoreError.duplicate(id: "7"), 409, "23505"), (.invalidPattern("(", reason: ""), 400, "2201B"),
            (.constraint(reason: "No."), 400, "23514"), (.locked(file: "a"), 503, "53000"),
            (.full(file: "a"), 503, "53000"), (.unreachable(reason: ""), 503, "08006"),
            (.outcomeUnknown(reason: ""), 503, "08007"), (.conflict(reason: ""), 503, "40001"),
            (.readOnly(file: "a"), 500, "XX000"),
        ])
    func storeErrors(error: StoreError, status: Int, code: String) throws {
        let table = Table(try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)), Film.schema)
        #expect(table.rejection(error).status == status)
        #expect(table.rejection(error).code == code)
    }
}
