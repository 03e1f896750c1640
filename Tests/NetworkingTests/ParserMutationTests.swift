import FeedbackTesting
import Foundation
import Networking
import Testing

/// Parses thousands of randomly damaged bodies; `PARSER_MUTATIONS=1000000` parses more.
@Suite("Parser, mutated bodies")
struct ParserMutationTests {
    private struct Item: Codable, Equatable, Sendable {
        var id: Int
        var name: String
        var score: Double?
        var tags: [String]
        var nested: [String: Int]
    }

    private static let count = ProcessInfo.processInfo.environment["PARSER_MUTATIONS"].flatMap { Int($0) } ?? 8_000

    private static let seeds: [[UInt8]] = [
        #"{"data":{"items":[{"id":1,"name":"a\u00e9\n","score":1.5e3,"tags":["x"],"nested":{"k":1}},{"id":2,"name":"b","tags":[],"nested":{}},{"id":"3","name":"c","tags":[],"nested":{}}]},"total":3}"#,
        #"{ "data" : { "items" : [ { "id" : -7 , "name" : "Zürich 🏙" , "score" : null , "tags" : [ "a" , "b" ] , "nested" : { } } ] } }"#,
        #"{"data":{"items":[[],{},null,true,1e308,"x",{"id":9223372036854775807,"name":"","score":0.1,"tags":["","é"],"nested":{"a":1,"b":2}}]}}"#,
    ].map { Array($0.utf8) }

    private static let snippets: [[UInt8]] =
        [
            "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u", "\\ud800", "\\u0061", "null", "true", "1e999", "-", "0",
            "00", ".", "e",
            "\u{0}", "\n", "\u{FEFF}", "[[[[[[[[", "]]]]]]]]", #""id":1,"#,
            #"{"id":1,"name":"n","tags":[],"nested":{}},"#, "é", "🏙",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80]]

    @Test(
        "Never a crash, and pruning returns exactly the elements that strict parsing accepts", .onOwnThread,
        .timeLimit(.minutes(10)))
    func mutations() async {
        await withTaskGroup(of: (Int, Int).self) { group in
            for lane in 0..<4 {
                group.addTask {
                    var random = Dice(seed: UInt64(lane) &* 7_919 &+ 1)
                    var (parsed, skipped) = (0, 0)
                    for _ in 0..<Self.count / 4 {
                        let body = Self.mutated(&random)
                        let (isParsed, skips) = Self.check(Data(body))
                        parsed += isParsed ? 1 : 0
                        skipped += skips
                    }
                    return (parsed, skipped)
                }
            }
            var (parsed, skipped) = (0, 0)
            for await lane in group { (parsed, skipped) = (parsed + lane.0, skipped + lane.1) }
            // Mutations that spoil everything would test nothing.
            #expect(parsed > Self.count / 20)
            #expect(skipped > Self.count / 50)
        }
    }

    /// Parses in both ways, and compares the outcomes with each other and with those of each element alone.
    private static func check(_ body: Data) -> (isParsed: Bool, skips: Int) {
        let skips = Box<[Int]>([])
        let strict: Result<[Item], CoreError> = Parser.parse(body, key: "data.items", strategy: .strict)
        let pruned: Result<[Item], CoreError> = Parser.parse(
            body, key: "data.items", strategy: .prune, onSkip: { skip in skips.update { $0.append(skip.index) } })
        let text = String(decoding: body, as: UTF8.self)
        switch pruned {
        case .failure(let error):
            #expect(strict == .failure(error), "\(text)")
            guard case .parsing(let failure) = error else { return (Bool(false), 0) }
            #expect(!failure.reason.isEmpty, "\(text)")
            return (false, 0)
        case .success(let items):
            if skips.value.isEmpty {
                #expect(strict == .success(items), "\(text)")
                return (true, 0)
            }
            #expect((try? strict.get()) == nil, "\(text)")
            let alone = elements(of: body).map { element -> Item? in
                let result: Result<[Item], CoreError> = Parser.parse(Data([0x5B] + element + [0x5D]), strategy: .strict)
                return (try? result.get())?.first
            }
            #expect(alone.compactMap { $0 } == items, "\(text)")
            #expect(alone.indices.filter { alone[$0] == nil } == skips.value, "\(text)")
            return (true, skips.value.count)
        }
    }

    /// The elements of the list under `data.items`, cut out of a body that is valid JSON.
    private static func elements(of body: Data) -> [[UInt8]] {
        let bytes = Array(body)
        // Of a valid body, the first such keys that are not inside a string begin the list.
        var (depth, inString, isEscaped, start) = (0, false, false, 0)
        var lastKey: [UInt8] = []
        var path: [[UInt8]] = []
        var elements: [[UInt8]] = []
        var elementStart: Int?
        for (index, byte) in bytes.enumerated() {
            if inString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                    if elementStart == nil { lastKey = Array(bytes[start..<index]) }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (inString, start) = (true, index + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if elementStart == nil {
                    path.append(lastKey)
                    let isList = byte == UInt8(ascii: "[") && depth == 3
                    if isList, path.dropFirst().map({ unescaped($0) }) == ["data", "items"] {
                        elementStart = index + 1
                    }
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if let begin = elementStart {
                    if depth == 2 {
                        let last = Array(bytes[begin..<index])
                        let isEmpty = last.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
                        return isEmpty ? elements : elements + [last]
                    }
                } else {
                    path.removeLast()
                }
            case UInt8(ascii: ","):
                if let begin = elementStart, depth == 3 {
                    elements.append(Array(bytes[begin..<index]))
                    elementStart = index + 1
                }
            default: break
            }
        }
        return elements
    }

    private static func unescaped(_ key: [UInt8]) -> String {
        let quoted = Data([0x22] + key + [0x22])
        return (try? JSONDecoder().decode(String.self, from: quoted)) ?? ""
    }

    private static func mutated(_ random: inout Dice) -> [UInt8] {
        var body = seeds[random.next(below: seeds.count)]
        for _ in 0...random.next(below: 3) {
            let position = random.next(below: body.count + 1)
            switch random.next(below: 7) {
            case 0: body = Array(body.prefix(position))
            case 1 where position < body.count: body[position] = UInt8(random.next(below: 256))
            case 2 where position < body.count: body[position] ^= 1 << UInt8(random.next(below: 8))
            case 3: body.insert(contentsOf: snippets[random.next(below: snippets.count)], at: position)
            case 4:
                let end = min(body.count, position + random.next(below: 12))
                if position < end { body.removeSubrange(position..<end) }
            case 5:
                let end = min(body.count, position + random.next(below: 40))
                if position < end {
                    body.insert(contentsOf: body[position..<end], at: random.next(below: body.count + 1))
                }
            default: break
            }
        }
        return body
    }

    /// Returns the next number of the generator SplitMix64.
    private struct Dice {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next(below bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, bound)))
        }
    }
}
