import Foundation
import LocalBackend
import Persistence
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
            "(?x)( a+ )+", "\\Q(\\E(a+)+", "(?=a+)b",
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
            "a{3}b{2}c{4}", "^(the|a|an)? ?alien$", "[[:digit:]]+",
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

private struct Visit: Identifiable, Sendable {
    var id: Int
    var start: Date?

    static let schema = Schema<Visit>("visits", Visit.init, Column("id", \.id), Column("start", \.start))
}
