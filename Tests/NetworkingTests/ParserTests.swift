import Feedback
import Foundation
import Networking
import Testing

@Suite("Parser")
struct ParserTests {
    private let london = City(id: 1, name: "London")
    private let oslo = City(id: 3, name: "Oslo")
    private let mixed = Data(
        #"{"data": {"cities": [{"id":1,"name":"London"}, {"id":2,"name":7}, {"id":3,"name":"Oslo"}]}}"#.utf8)

    private func cities(
        _ data: Data, key: String = "data.cities", _ strategy: Parser.Strategy
    ) -> Result<[City], CoreError> {
        Parser.parse(data, key: key, strategy: strategy)
    }

    private func failure<Value>(_ result: Result<Value, CoreError>) -> ParsingFailure? {
        guard case .failure(.parsing(let failure)) = result else { return nil }
        return failure
    }

    // MARK: - Strategies

    @Test("Strict fails with the coding path and the reason of the first bad element")
    func strict() {
        #expect(failure(cities(mixed, .strict))?.path == "data.cities[1].name")
        #expect(failure(cities(mixed, .strict))?.reason.contains("Expected to decode String but found number") == true)
    }

    @Test("The reason names arrays and objects as JSON does, and says if an array has too few elements")
    func words() {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                _ = try (values.decode(Int.self), values.decode(Int.self))
            }
        }
        func reason<Value: Decodable>(_ type: Value.Type, _ body: String) -> String? {
            failure(Parser.parse(Data(body.utf8)) as Result<Value, CoreError>)?.reason
        }
        #expect(reason([Int].self, "null") == "Expected an array, but found null.")
        #expect(reason([Int].self, "1") == "Expected to decode an array but found number instead.")
        #expect(reason(City.self, "null") == "Expected an object, but found null.")
        #expect(reason(City.self, "[]") == "Expected to decode an object but found an array instead.")
        #expect(reason([[Int]].self, "[null]") == "Expected an array, but found null.")
        #expect(reason([Int].self, "[null]") == "Expected Int, but found null.")
        #expect(reason(Pair.self, "[1]") == "Expected Int, but the array ends.")
    }

    @Test("Prune leaves out what does not decode and keeps the order of the rest")
    func prune() {
        #expect(cities(mixed, .prune) == .success([london, oslo]))
    }

    @Test("Each skip is reported with index, coding path and reason")
    func report() {
        let skipped = Box<[SkippedElement]>([])
        let result: Result<[City], CoreError> = Parser.parse(
            mixed, key: "data.cities", strategy: .prune, onSkip: { element in skipped.update { $0.append(element) } })
        #expect(result == .success([london, oslo]))
        #expect(skipped.value.map(\.index) == [1])
        #expect(skipped.value.first?.path == "data.cities[1].name")
        #expect(skipped.value.first?.reason.isEmpty == false)
    }

    @Test("The reasons of the first 10,000 elements that are left out are kept")
    func manySkips() {
        let body = Data("[\(repeatElement("0", count: 10_001).joined(separator: ","))]".utf8)
        let skipped = Box<[SkippedElement]>([])
        let result: Result<[City], CoreError> = Parser.parse(
            body, strategy: .prune, onSkip: { element in skipped.update { $0.append(element) } })
        #expect(result == .success([]))
        #expect(skipped.value.map(\.index) == Array(0...10_000))
        #expect(skipped.value[9_999].path == "[9999]")
        #expect(skipped.value[10_000].reason == "It was left out, as 10,000 others before it.")
    }

    @Test("Each nested observer of skips hears every skip inside its scope")
    func observers() {
        let (outer, inner) = (Box(0), Box(0))
        Parser.observingSkips({ _ in outer.update { $0 += 1 } }) {
            _ = cities(mixed, .prune)
            Parser.observingSkips({ _ in inner.update { $0 += 1 } }) { _ = cities(mixed, .prune) }
        }
        _ = cities(mixed, .prune)
        #expect(outer.value == 2)
        #expect(inner.value == 1)
    }

    @Test("Top-level lists are pruned and decoded strictly, too")
    func topLevel() {
        let data = Data(#"[{"id":1,"name":"London"}, null, 5, [], {"id":3,"name":"Oslo"}]"#.utf8)
        let pruned: Result<[City], CoreError> = Parser.parse(data, strategy: .prune)
        #expect(pruned == .success([london, oslo]))
        let strict: Result<[City], CoreError> = Parser.parse(data, strategy: .strict)
        #expect(failure(strict)?.path == "[1]")
    }

    @Test(
        "Only elements are pruned: a missing list, null, or what is not a list fails",
        arguments: [Parser.Strategy.strict, .prune])
    func noList(_ strategy: Parser.Strategy) {
        #expect(
            failure(cities(Data(#"{"data": {"towns": []}}"#.utf8), strategy))?.reason
                == #"The key "cities" is missing. The object has "towns"."#)
        #expect(failure(cities(Data(#"{"data": {"cities": null}}"#.utf8), strategy))?.path == "data.cities")
        #expect(failure(cities(Data(#"{"data": {"cities": {}}}"#.utf8), strategy))?.path == "data.cities")
        #expect(failure(cities(Data(#"{"data": [1]}"#.utf8), strategy))?.path == "data")
    }

    @Test("@Pruned prunes inside a type that is strict otherwise, and reports")
    func propertyWrapper() {
        struct Page: Decodable {
            @Pruned var cities: [City]
            var total: Int
        }
        let skipped = Box<[String]>([])
        let data = Data(#"{"cities": [{"id":1,"name":"London"}, {"name":"Nowhere"}], "total": 2}"#.utf8)
        let page: Result<Page, CoreError> = Parser.observingSkips({ element in
            skipped.update { $0.append("\(element)") }
        }) {
            Parser.parse(data)
        }
        #expect((try? page.get())?.cities == [london])
        #expect((try? page.get())?.$cities.map(\.index) == [1])
        #expect((try? page.get())?.total == 2)
        #expect(skipped.value == [#"Left out element 1, at cities[1]: The key "id" is missing."#])
        let bad: Result<Page, CoreError> = Parser.parse(Data(#"{"cities": [], "total": "two"}"#.utf8))
        #expect(failure(bad)?.path == "total")
    }

    // MARK: - Keys and decoders

    @Test("A key finds a single value, and a wire name where the decoder spells it otherwise")
    func keys() {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = Data(#"{"home_page": {"first_city": {"id":1,"name":"London"}}}"#.utf8)
        #expect(
            Parser.parse(data, key: "home_page.first_city", decoder: decoder) == Result<City, CoreError>.success(london)
        )
        #expect(
            Parser.parse(data, key: "homePage.firstCity", decoder: decoder) == Result<City, CoreError>.success(london))
        #expect(Parser.parse(data, key: "home_page.first_city") == Result<City, CoreError>.success(london))
        let underscored = Data(#"{"_home_page": {"first__city_": 7}}"#.utf8)
        #expect(
            Parser.parse(underscored, key: "_home_page.first__city_", decoder: decoder)
                == Result<Int, CoreError>.success(7))
    }

    @Test("A dot that is part of a key has a backslash before it")
    func dottedKeys() {
        let data = Data(#"{"a.b": {"c": 1, "d\\e": 2, "f.": {".": 3}}, "a": {"b": {"c": 4}}}"#.utf8)
        #expect(Parser.parse(data, key: #"a\.b.c"#) == Result<Int, CoreError>.success(1))
        #expect(Parser.parse(data, key: #"a\.b.d\\e"#) == Result<Int, CoreError>.success(2))
        #expect(Parser.parse(data, key: #"a\.b.f\..\."#) == Result<Int, CoreError>.success(3))
        #expect(Parser.parse(data, key: "a.b.c") == Result<Int, CoreError>.success(4))
    }

    @Test("A failure says where in the body the value is")
    func places() {
        let data = Data("{\"data\": {\"cities\": [\n  {\"id\": 1, \"name\": 7}]}}".utf8)
        let place = failure(cities(data, .strict))?.place
        #expect(place?.line == 2 && place?.column == 21)
        #expect(place?.excerpt == #"  {"id": 1, "name": 7}]}}"#)
        let malformed: Result<[Int], CoreError> = Parser.parse(Data("[1,\n2 3]".utf8))
        #expect(failure(malformed)?.place == ParsingFailure.Place(line: 2, column: 3, excerpt: "[1, 2 3]"))
    }

    @Test("A subclass of JSONDecoder is used itself, for strict JSON only")
    func subclass() {
        final class Louder: JSONDecoder, @unchecked Sendable {
            override func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                try super.decode(type, from: Data(String(decoding: data, as: UTF8.self).uppercased().utf8))
            }
        }
        #expect(Parser.parse(Data(#"["a"]"#.utf8), decoder: Louder()) == Result<[String], CoreError>.success(["A"]))
        let twice: Result<[String: Int], CoreError> = Parser.parse(Data(#"{"a":1,"a":2}"#.utf8), decoder: Louder())
        #expect(failure(twice)?.reason.contains("stands twice") == true)
    }

    @Test("One decoder serves many threads at once")
    func sharedDecoder() async {
        let decoder = JSONDecoder()
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let data = Data(#"{"key\#(number)": [\#(number), "x"]}"#.utf8)
                    return Parser.parse(data, key: "key\(number)", strategy: .prune, decoder: decoder)
                        == .success([number])
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    /// ThreadSanitizer reports a race if the threads write to the storage that all empty paths share.
    @Test("Values at the root may ask for their place on many threads at once")
    func placesAtTheRoot() async {
        struct Placed: Decodable, Equatable {
            let depth: Int
            init(depth: Int) { self.depth = depth }
            init(from decoder: any Decoder) { depth = decoder.codingPath.count }
        }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask { Parser.parse(Data("{}".utf8)) == .success(Placed(depth: 0)) }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    // MARK: - Bodies that are no JSON

    @Test(
        "A text that is not strict JSON ends in an error with the reason",
        arguments: [
            ("", "The body is empty."),
            ("  \n", "The body is empty."),
            ("\u{FEFF}[1]", "The body begins with a byte order mark, which JSON does not allow."),
            (#"{"a":1,"b":{"a":2},"a":3}"#, #"The key "a" stands twice in one object. (line 1, column 20)"#),
            (#"{"a":1,"\u0061":3}"#, #"The key "\u0061" stands twice in one object. (line 1, column 8)"#),
            (#"{"a":[1,2"#, "The body ends in the middle of an array. (line 1, column 10)"),
            (#"{"a":"x"#, "The body ends in the middle of a string. (line 1, column 6)"),
            (#"{"a":1} x"#, "Something follows after the end of the JSON value. (line 1, column 9)"),
            (#"{"a":01}"#, #""01" is not a number. (line 1, column 6)"#),
            (#"{"a":tru}"#, #"Expected a value, but found "t". (line 1, column 6)"#),
            (#"{"a" 1}"#, #"Expected a colon, but found "1". (line 1, column 6)"#),
            (#"{a:1}"#, #"Expected a key in quotes, but found "a". (line 1, column 2)"#),
            (#"{"a":1e999}"#, "The number 1e999 does not fit the type that it is read as."),
        ])
    func noJSON(_ text: String, _ reason: String) {
        struct Anything: Decodable { var a: Double }
        let result: Result<Anything, CoreError> = Parser.parse(Data(text.utf8))
        #expect(failure(result)?.reason == reason)
    }

    @Test(
        "A body that nests deeper than 512 levels is refused, at any depth, without touching the stack",
        arguments: [513, 100_000])
    func deep(_ depth: Int) {
        let data = Data(String(repeating: "[", count: depth).utf8) + Data(String(repeating: "]", count: depth).utf8)
        let result: Result<[Int], CoreError> = Parser.parse(data)
        #expect(failure(result)?.reason.contains("nested deeper than 512 levels") == true)
    }

    @Test("A recursive type at the greatest depth fits the small stack of a thread")
    func smallStack() async {
        final class Tree: Decodable, Sendable { let children: [Tree] }
        let data = Data((String(repeating: #"{"children":["#, count: 250) + String(repeating: "]}", count: 250)).utf8)
        let isDecoded: Bool = await withCheckedContinuation { continuation in
            let thread = Thread {
                let tree: Result<Tree, CoreError> = Parser.parse(data)
                continuation.resume(returning: (try? tree.get()) != nil)
            }
            // AddressSanitizer makes each frame several times as large.
            thread.stackSize = dlsym(nil, "__asan_init") == nil ? 2 << 20 : 16 << 20
            thread.start()
        }
        #expect(isDecoded)
    }

    @Test(
        "Bytes that are not UTF-8 are refused, also where nobody reads them",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]])
    func notUTF8(_ bytes: [UInt8]) {
        let data = Data(#"{"a":1,"ignored":""#.utf8) + Data(bytes) + Data(#""}"#.utf8)
        let result: Result<[String: Int], CoreError> = Parser.parse(data)
        #expect(failure(result)?.reason == "The body is not valid UTF-8. (line 1, column 19)")
    }

    @Test(
        "UTF-16 is refused as such, with and without a mark",
        arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func otherEncodings(_ encoding: String.Encoding) throws {
        let data = try #require("[1, 2]".data(using: encoding))
        let result: Result<[Int], CoreError> = Parser.parse(data)
        #expect(failure(result)?.reason == "The body is not UTF-8 (it looks like UTF-16 or UTF-32).")
    }

    @Test("Twice the same key is found among many, in little time", .timeLimit(.minutes(10)))
    func manyKeys() {
        let keys = (0..<20_000).map { #""key\#($0)":1"# }
        let unique: Result<[String: Int], CoreError> = Parser.parse(Data("{\(keys.joined(separator: ","))}".utf8))
        #expect((try? unique.get())?.count == 20_000)
        let twice = keys + [#""key777":2"#]
        let result: Result<[String: Int], CoreError> = Parser.parse(Data("{\(twice.joined(separator: ","))}".utf8))
        #expect(failure(result)?.reason.contains(#"The key "key777" stands twice"#) == true)
    }

    @Test("A decoder that is told to be lenient is not second-guessed")
    func lenient() {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        #expect(
            Parser.parse(Data("{a: 'x', /* twice */ b: 'y'}".utf8), decoder: decoder)
                == Result<[String: String], CoreError>.success(["a": "x", "b": "y"]))
    }

    // MARK: - Encoding and producers

    @Test("A value that cannot be encoded says where and why")
    func encoding() {
        struct Reading: Encodable { var value: Double }
        guard case .failure(.encoding(let failure)) = Parser.encode(["readings": [Reading(value: .nan)]]) else {
            return #expect(Bool(false))
        }
        #expect(failure.path == "readings[0].value")
        #expect(
            "\(CoreError.encoding(failure))".hasPrefix("The request's body could not be encoded at readings[0].value:"))
    }

    @Test("As producers, parsing and encoding happen when started")
    func producers() async throws {
        let encoded: SignalProducer<Data, CoreError> = Parser.encode(london)
        let data = try #require(try await encoded.first())
        let parsed: SignalProducer<City, CoreError> = Parser.parse(data)
        #expect(try await parsed.first() == london)
        let pruned: SignalProducer<[City], CoreError> = Parser.parse(mixed, key: "data.cities", strategy: .prune)
        #expect(try await pruned.first() == [london, oslo])
    }
}
