import Foundation
import LocalBackend
import Persistence
import Sync
import Testing

@testable import TableBackend

/// The answers to a client that has none of our types.
struct TableTests {
    @Test("Rows are answered as JSON, with their range")
    func reading() async throws {
        try await withTable { (client) async throws in
            let answer = try await client.send("GET", "/films?year=is.null&order=id.desc&limit=1")
            #expect(answer.status == 200)
            #expect(answer.range == "0-0/*")
            #expect(
                answer.text == #"[{"id":7,"title":"a,b)","rating":"PG","year":null,"score":8.1,"isColor":true}]"#)
            #expect(try await client.send("GET", "/films?id=eq.99").range == "*/*")
        }
    }

    @Test("A count is part of the range, and the status says whether the answer has all rows")
    func counting() async throws {
        try await withTable { (client) async throws in
            let part = try await client.send("GET", "/films?limit=2&offset=4&select=id", prefer: "count=exact")
            #expect(part.status == 206)
            #expect(part.range == "4-5/7")
            #expect(part.text == #"[{"id":5},{"id":6}]"#)
            let all = try await client.send("GET", "/films?select=id", prefer: "count=exact")
            #expect(all.status == 200)
            #expect(all.range == "0-6/7")
            let head = try await client.send("HEAD", "/films?year=eq.1950&select=id", prefer: "count=exact")
            #expect(head.range == "0-1/2")
            #expect(head.text.isEmpty)
            let whole = try await client.send("HEAD", "/films?select=id", prefer: "count=exact", range: "2-1")
            #expect(whole.status == 200)
            #expect(whole.range == "0-6/7")
            let end = try await client.send("GET", "/films?offset=7", prefer: "count=exact")
            #expect(end.status == 206)
            #expect(end.range == "*/7")
            #expect(try await client.send("GET", "/films?offset=8", prefer: "count=exact").status == 416)
            #expect(try await client.send("GET", "/films?offset=7").text == "[]")
        }
    }

    @Test("The largest numbers in a range are answered as others are")
    func largestRange() async throws {
        try await withTable { (client) async throws in
            let target = "/films?select=id&offset=1&limit=9223372036854775807"
            #expect(try await client.send("GET", target, range: "0-2").text == #"[{"id":2},{"id":3}]"#)
            #expect(try await client.send("GET", target, range: "6-9223372036854775807").text == #"[{"id":7}]"#)
            let beyond = "/films?offset=9223372036854775807&limit=9223372036854775807"
            #expect(try await client.send("GET", beyond, range: "0-").text == "[]")
        }
    }

    @Test("A date outside the years 1 to 9999, which cannot be written, is refused, and not answered as null")
    func datesOutsideTheCalendar() async throws {
        for time in [1e12, -1e12, .nan] {
            let visits = [
                Visit(id: 1, start: Date(timeIntervalSinceReferenceDate: 0)), Visit(id: 2, start: nil),
                Visit(id: 3, start: Date(timeIntervalSinceReferenceDate: time)),
            ]
            try await withTable(of: visits, Visit.schema) { (client) async throws in
                let others = try await client.send("GET", "/visits?id=lt.3")
                #expect(others.text == #"[{"id":1,"start":"2001-01-01T00:00:00+00:00"},{"id":2,"start":null}]"#)
                for accept in ["application/json", "text/csv"] {
                    let answer = try await client.send("GET", "/visits", accept: accept)
                    #expect(answer.status == 400)
                    #expect(answer.text.contains("22008"))
                    #expect(answer.text.contains("start"))
                }
                let ids = try await client.send("GET", "/visits?select=id")
                #expect(ids.text == #"[{"id":1},{"id":2},{"id":3}]"#)
                // A write that cannot be answered is not kept.
                let change = #"{"id":4}"#
                let changed = try await client.send(
                    "PATCH", "/visits?id=eq.3", change, prefer: "return=representation")
                #expect(changed.status == 400)
                #expect(try await client.send("PATCH", "/visits?id=eq.3", change).status == 204)
            }
        }
    }

    @Test("An insert answers with the rows if the client prefers it, and refuses an id that exists")
    func inserting() async throws {
        try await withTable { (client) async throws in
            let row = #"{"id":8,"title":"Alien","rating":"R","year":1979,"score":8.5,"isColor":true}"#
            let quiet = try await client.send("POST", "/films", row)
            #expect(quiet.status == 201)
            #expect(quiet.text.isEmpty)
            let taken = try await client.send("POST", "/films", "[\(row)]", prefer: "return=representation")
            #expect(taken.status == 409)
            #expect(taken.text.contains(#""code":"23505""#) && taken.text.contains("Key (id)=(8) already exists."))
            let ignored = try await client.send(
                "POST", "/films", row, prefer: "return=representation, resolution=ignore-duplicates")
            #expect(ignored.text == "[]")
            let merged = try await client.send(
                "POST", "/films?on_conflict=id&columns=id,title,rating,score,isColor&select=id,year", row,
                prefer: "return=representation,resolution=merge-duplicates")
            #expect(merged.text == #"[{"id":8,"year":1979}]"#)
        }
    }

    @Test("A patch changes the columns that it has in all rows of the filter, or in none if one cannot be changed")
    func patching() async throws {
        try await withTable { (client) async throws in
            let changed = try await client.send(
                "PATCH", "/films?year=eq.1950&select=id,title,year", #"{"year":null}"#,
                prefer: "return=representation")
            #expect(
                changed.text == #"[{"id":4,"title":"The Third Man","year":null},{"id":5,"title":"a,b)","year":null}]"#)
            #expect(
                try await client.send("PATCH", "/films?id=eq.99", "{}", prefer: "return=representation").text == "[]")
            #expect(try await client.send("PATCH", "/films?id=eq.1", #"{"title":"New"}"#).status == 204)
            for body in [#"{"title":null}"#, #"{"nobody":1}"#, "no", "", #"{"year":{}}"#] {
                #expect(try await client.send("PATCH", "/films", body).status == 400, "\(body)")
            }
            #expect(try await client.send("PATCH", "/films?id=eq.2", #"{"id":9}"#).status == 204)
            #expect(try await client.send("PATCH", "/films?id=eq.3", #"{"id":9}"#).status == 409)
            #expect(try await client.send("GET", "/films?id=in.(2,3,9)&select=id").text == #"[{"id":3},{"id":9}]"#)
        }
    }

    @Test("A merging upsert keeps the columns that it does not have")
    func merging() async throws {
        try await withTable { (client) async throws in
            let merged = try await client.send(
                "POST", "/films?select=id,title,year",
                #"{"id":4,"title":"New","rating":"PG","score":1,"isColor":true}"#,
                prefer: "return=representation,resolution=merge-duplicates")
            #expect(merged.status == 200)
            #expect(merged.text == #"[{"id":4,"title":"New","year":1950}]"#)
        }
    }

    @Test("A deletion removes the rows of the filter, and counts them")
    func deleting() async throws {
        try await withTable { (client) async throws in
            let deleted = try await client.send(
                "DELETE", "/films?year=is.null&select=id", prefer: "return=representation,count=exact")
            #expect(deleted.text == #"[{"id":6},{"id":7}]"#)
            #expect(deleted.range == "*/2")
            #expect(try await client.send("DELETE", "/films?id=eq.1").status == 204)
            #expect(try await client.send("GET", "/films?select=id").text == #"[{"id":2},{"id":3},{"id":4},{"id":5}]"#)
        }
    }

    @Test("A new row's place is answered if the client prefers only the header")
    func location() async throws {
        try await withTable { (client) async throws in
            let rows = [8, 9, 10].map { #"{"id":\#($0),"title":"Alien","rating":"R","score":8.5,"isColor":true}"# }
            let added = try await client.send("POST", "/films", rows[0], prefer: "return=headers-only")
            #expect(added.status == 201 && added.text.isEmpty)
            #expect(added.location == "/films?id=eq.8")
            let both = try await client.send("POST", "/films", "[\(rows[1]),\(rows[2])]", prefer: "return=headers-only")
            #expect(both.status == 201 && both.location == nil)
            #expect(try await client.send("DELETE", "/films?id=gt.7").status == 204)
            #expect(try await client.send("POST", "/films", rows[0], prefer: "return=minimal").location == nil)
        }
    }

    @Test("An upsert of new rows among others says that it has created some")
    func mergingNew() async throws {
        try await withTable { (client) async throws in
            let rows = [7, 8].map { #"{"id":\#($0),"title":"New","rating":"R","score":8.5,"isColor":true}"# }
            let merged = try await client.send(
                "POST", "/films?select=id", "[\(rows[0]),\(rows[1])]",
                prefer: "return=representation,resolution=merge-duplicates,count=exact")
            #expect(merged.status == 201)
            #expect(merged.text == #"[{"id":7},{"id":8}]"#)
            #expect(merged.range == "*/2")
        }
    }

    @Test("A change of more rows than the client allows is refused if it asks for strict handling, and nothing changes")
    func affected() async throws {
        try await withTable { (client) async throws in
            let films = try await client.send("GET", "/films").text
            for (method, body) in [("PATCH", #"{"title":"New"}"#), ("DELETE", nil)] {
                let refused = try await client.send(
                    method, "/films?year=eq.1950", body, prefer: "handling=strict,max-affected=1,max-affected=2")
                #expect(refused.status == 400)
                #expect(refused.text.contains("PGRST124") && refused.text.contains("The query affects 2 rows"))
            }
            #expect(try await client.send("GET", "/films").text == films)
            let prefer = "handling=strict,max-affected=2"
            #expect(try await client.send("DELETE", "/films?year=eq.1950", prefer: prefer).status == 204)
            let lenient = try await client.send("DELETE", "/films", prefer: "max-affected=1")
            #expect(lenient.status == 204)
        }
    }

    @Test("The answer says which preferences were followed")
    func appliedPreferences() async throws {
        try await withTable { (client) async throws in
            let prefer = "count=exact,handling=strict,max-affected=9,missing=default,return=minimal"
            let film = #"{"id":8,"title":"Alien","rating":"R","score":8.5,"isColor":true}"#
            for (method, body, applied) in [
                ("GET", nil, "count=exact, handling=strict"),
                ("POST", film, "missing=default, return=minimal, count=exact, handling=strict"),
                (
                    "PATCH", #"{"title":"New"}"#,
                    "missing=default, return=minimal, count=exact, handling=strict, max-affected=9"
                ),
                ("DELETE", nil, "return=minimal, count=exact, handling=strict, max-affected=9"),
            ] {
                let answer = try await client.send(method, "/films", body, prefer: prefer)
                #expect(answer.applied == applied)
            }
            #expect(try await client.send("GET", "/films").applied == nil)
        }
    }

    @Test("Rows are answered as the client accepts them")
    func mediaTypes() async throws {
        try await withTable { (client) async throws in
            let target = "/films?id=gte.5&id=lte.6&select=id,title,year,isColor"
            for (accept, type, text) in [
                ("text/csv", "text/csv", "id,title,year,isColor\n5,\"a,b)\",1950,t\n6,\"The Third Man\",,t"),
                (
                    "application/vnd.pgrst.array+json; nulls=stripped; q=0.9",
                    "application/vnd.pgrst.array+json;nulls=stripped",
                    #"[{"id":5,"title":"a,b)","year":1950,"isColor":true},{"id":6,"title":"The Third Man","isColor":true}]"#
                ),
                ("text/csv;q=0.5, image/png, */*;q=0.1, text/csv;q=0", "text/csv", nil),
                ("text/csv;q=0.5, application/json;q=0.6", "application/json", nil),
            ] {
                let answer = try await client.send("GET", target, accept: accept)
                #expect(answer.type == "\(type); charset=utf-8")
                if let text { #expect(answer.text == text) }
            }
            #expect(try await client.send("GET", target, accept: "text/csv;q=0, image/png").status == 406)
            let object = "application/vnd.pgrst.object+json"
            #expect(try await client.send("GET", "/films?id=eq.1&select=id", accept: object).text == #"{"id":1}"#)
            #expect(try await client.send("GET", target, accept: object).status == 406)
            #expect(try await client.send("GET", "/films?id=eq.99", accept: "text/csv").text.isEmpty)
        }
    }

    @Test("The changes of a table that numbers them can be fetched, and old deletions are forgotten")
    func history() async throws {
        let database = try SQLiteDatabase(.memory)
        let table = Table(try SQLiteStore(Note.schema, in: database), Note.schema)
            .numberingChanges(
                by: \.version, deletions: try SQLiteStore(Deletion.schema(of: Note.schema), in: database),
                extents: try SQLiteStore(HistoryExtent.schema(of: Note.schema), in: database), keeping: 3)
        let backend = LocalBackend()
        backend.serve(table, at: "/notes")
        let client = Client(url: try await backend.start())
        let rows = (1...3).map { #"{"id":\#($0),"text":"a","version":0}"# }.joined(separator: ",")
        #expect(try await client.send("POST", "/notes", "[\(rows)]").status == 201)
        #expect(try await client.send("PATCH", "/notes?id=eq.2", #"{"text":"b"}"#).status == 204)
        let numbers = try await client.send("GET", "/notes?select=id,version&order=id")
        #expect(numbers.text == #"[{"id":1,"version":1},{"id":2,"version":4},{"id":3,"version":3}]"#)
        // The second is deleted and another one made in one change of the id.
        #expect(try await client.send("PATCH", "/notes?id=eq.2", #"{"id":9}"#).status == 204)
        #expect(try await client.send("DELETE", "/notes?id=eq.99").status == 204)
        #expect(try await client.send("GET", "/notes_deleted").text == #"[{"id":2,"number":6}]"#)
        #expect(try await client.send("GET", "/notes_history").text == #"[{"id":"notes","last":6,"forgotten":3}]"#)
        #expect(try await client.send("DELETE", "/notes").status == 204)
        let deletions = try await client.send("GET", "/notes_deleted?order=number")
        #expect(deletions.text == #"[{"id":1,"number":7},{"id":3,"number":8},{"id":9,"number":9}]"#)
        #expect(try await client.send("GET", "/notes_history").text == #"[{"id":"notes","last":9,"forgotten":6}]"#)
        await backend.stop(within: .zero)
    }

    @Test("A write with a key is done once only if the table remembers keys")
    func rememberedKeys() async throws {
        let backend = LocalBackend()
        for (path, remembersKeys) in [("/a", nil), ("/b", false), ("/c", true)] {
            let store = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
            let table =
                remembersKeys.map { Table(store, Film.schema, remembersKeys: $0) } ?? Table(store, Film.schema)
            backend.serve(table, at: path)
        }
        let url = try await backend.start()
        let row = #"{"id":8,"title":"Alien","rating":"R","score":8.5,"isColor":true}"#
        let client = Client(url: url, key: String(repeating: "k", count: 255))
        for (path, status) in [("/a", 409), ("/b", 409), ("/c", 201)] {
            #expect(try await client.send("POST", path, row).status == 201)
            #expect(try await client.send("POST", path, row).status == status)
        }
        await backend.stop(within: .zero)
    }

    @Test("Errors have PostgREST's form")
    func rejections() async throws {
        try await withTable { (client) async throws in
            let answer = try await client.send("GET", "/films?nobody=eq.1")
            #expect(answer.status == 400)
            #expect(
                answer.text
                    == #"{"code":"42703","details":null,"hint":null,"message":"column films.nobody does not exist"}"#)
            #expect(try await client.send("GET", "/films?title=match.(").status == 400)
            #expect(try await client.send("POST", "/films", #"{"id":8}"#).status == 400)
        }
    }

    @Test(
        "A pattern that could take very long is refused",
        arguments: [
            "^(a+)+$", "(a*)*", "(a|a)*b", "(?:a{1,9}){1,9}", "a*a*a*b", String(repeating: "a?", count: 11) + "aaaa",
            String(repeating: "(a|a)", count: 11), "(.*)\\1", "^(The|A|An|One) .*s+$",
            "{(a+)+", "[[]a+)]+(b+)+", "[\\c\\](a+)+]", "[\u{301}(a+)+]", "a{1001}", "a{0,1000}a{0,1000}a{0,1000}",
            "(?x)( a+ )+", "\\Q(\\E(a+)+", "(?=a+)b", "((a+))+", "[^a](a+)+", "[^]a](a+)+", "((a|b)c)+",
        ])
    func slowPatterns(pattern: String) async throws {
        try await withTable { (client) async throws in
            let text = try #require(pattern.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            for comparison in ["match", "imatch"] {
                let answer = try await client.send("GET", "/films?title=\(comparison).\(text)")
                #expect(answer.status == 400)
                #expect(answer.text.contains("too long"))
            }
        }
    }

    @Test("A request has only so many patterns in all, wherever they stand")
    func manyPatterns() async throws {
        try await withTable { (client) async throws in
            let some = Array(repeating: "a.c", count: 20).joined(separator: ",")
            let more = Array(repeating: "x*a*b", count: 3).joined(separator: ",")
            for (query, status) in [
                ("title=match(any).{\(some)}", 200), ("title=match(any).{\(some),\(some)}", 400),
                ("title=match(all).{\(some)}&rating=imatch(any).{\(some)}", 400), ("title=match(any).{\(more)}", 400),
                ("or=(title.match.x*a*b,and(title.not.match.x*a*b,title.match.x*a*b))", 400),
            ] {
                let text = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["=", "&", "."]))
                let answer = try await client.send("GET", "/films?" + (try #require(text)))
                #expect(answer.status == status, "\(query)")
                if status == 400 { #expect(answer.text.contains("too long")) }
            }
        }
    }

    @Test("A key that is too long is refused, whether answers are kept in memory, in the database or not at all")
    func longKey() async throws {
        let database = try SQLiteDatabase(.memory)
        let store = try SQLiteStore(Film.schema, in: database)
        let answers = try SQLiteStore(KeptAnswer.schema, in: database)
        let backend = LocalBackend()
        backend.serve(Table(store, Film.schema), at: "/a")
        backend.serve(Table(store, Film.schema, remembersKeys: true), at: "/b")
        backend.serve(Table(store, Film.schema, keepingAnswersIn: answers), at: "/c")
        let url = try await backend.start()
        for path in ["/a", "/b", "/c"] {
            for (count, status) in [(255, 204), (256, 400)] {
                let client = Client(url: url, key: String(repeating: "k", count: count))
                #expect(try await client.send("DELETE", "\(path)?id=eq.8").status == status)
            }
        }
        await backend.stop(within: .zero)
    }

    @Test(
        "A pattern that cannot take long is answered",
        arguments: [
            "^The", "[45]$", "^.*man$", "(Alien|Aliens)", "a.c", "^(The|A) .*", "a+b+", "[(+*]+", "\\(+", "(a)",
            "(?i)alien", "(a+x)?",
            "a{3}b{2}c{4}", "^(the|a|an)? ?alien$", "[[:digit:]]+", "[[:digit:](a+)+]+", "[^(a+)+]+",
        ])
    func fastPatterns(pattern: String) async throws {
        try await withTable { (client) async throws in
            let text = try #require(pattern.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(try await client.send("GET", "/films?title=match.\(text)").status == 200)
        }
    }

    @Test("A column can be selected once under a name, and only so many times in all")
    func repeatedColumns() async throws {
        try await withTable { (client) async throws in
            for columns in ["id,id", "id,title:id,title", "*,*", "*,id"] {
                let answer = try await client.send("GET", "/films?select=\(columns)")
                #expect(answer.status == 400)
                #expect(answer.text.contains("more than once"))
            }
            let many = (1...107).map { "a\($0):id" }.joined(separator: ",")
            #expect(try await client.send("GET", "/films?select=\(many)").status == 400)
            #expect(
                try await client.send("GET", "/films?id=eq.1&select=id,number:id").text == #"[{"id":1,"number":1}]"#)
        }
    }

    @Test("A write with a key is done once, by whichever server, and answered alike")
    func keptAnswers() async throws {
        let database = try SQLiteDatabase(.memory)
        let store = try SQLiteStore(Film.schema, in: database)
        let answers = try SQLiteStore(KeptAnswer.schema, in: database)
        _ = try await store.insert(Film.all).first()
        let backend = LocalBackend()
        // Two tables, as if on two servers that share nothing but the kept answers.
        for path in ["/a", "/b"] {
            backend.serve(Table(store, Film.schema, keepingAnswersIn: answers), at: "\(path)/films")
        }
        let url = try await backend.start()
        let row = #"{"id":8,"title":"Playtime","rating":"G","score":8,"isColor":true}"#
        for path in ["/a", "/b"] {
            let client = Client(url: url, key: "one")
            let added = try await client.send("POST", "\(path)/films", row, prefer: "return=representation")
            #expect(added.status == 201)
            #expect(added.text.contains("Playtime"))
            #expect(try await client.send("DELETE", "\(path)/films?id=eq.8").status == 204)
        }
        // Another key is another request, and what was refused is not kept.
        let client = Client(url: url, key: "two")
        #expect(
            try await client.send("POST", "/a/films", #"{"id":1,"title":"x","rating":"G","score":8,"isColor":true}"#)
                .status == 409)
        #expect(try await client.send("POST", "/a/films", row).status == 201)
        #expect(try await answers.all().count() == 3)
        // Old answers go when a new one is kept.
        let old = KeptAnswer(id: "old", time: .now - 8 * 86_400, status: 204, headers: "", body: Data())
        _ = try await answers.insert([old]).first()
        #expect(try await Client(url: url, key: "three").send("DELETE", "/a/films?id=eq.8").status == 204)
        #expect(try await answers.all().result().value().map(\.id).contains("old") == false)
        #expect(try await answers.all().count() == 4)
        await backend.stop(within: .zero)
    }
}

private struct Note: Identifiable, Sendable {
    var id: Int
    var text: String
    var version: Int

    static let schema = Schema<Note>(
        "notes", { Note(id: $0, text: $1, version: $2) }, Column("id", \.id), Column("text", \.text),
        Column("version", \.version))
}

private struct Visit: Identifiable, Sendable {
    var id: Int
    var start: Date?

    static let schema = Schema<Visit>("visits", Visit.init, Column("id", \.id), Column("start", \.start))
}
