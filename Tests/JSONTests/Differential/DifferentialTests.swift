import FeedbackTesting
import Foundation
import JSON
import JSONSamples
import Testing

/// Decodes random bodies as random types, with `JSONDecoder` and with ours. `JSON_CASES=1000000 JSON_SEED=7` runs more cases, and
/// other ones; `JSON_DAMAGE=1` damages the bytes of each body.
@Suite("The same answers as JSONDecoder", .onOwnThread)
struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let cases = environment["JSON_CASES"].flatMap { Int($0) } ?? 20_000
    private static let seed = environment["JSON_SEED"].flatMap { UInt64($0) } ?? 20_261_121

    @Test(
        "Values are equal, and a body is refused exactly if it is not strict JSON",
        .timeLimit(.minutes(cases > 100_000 ? 600 : 30)))
    func differential() {
        var dice = Dice(seed: Self.seed)
        var (read, refused) = (0, 0)
        for number in 0..<Self.cases {
            let settings = Settings(&dice)
            let recipe = Recipe.random(&dice)
            var random = RandomBody(dice: Dice(seed: dice.next()), snakeCase: settings.keys == 1)
            let bytes = random.body(for: recipe)
            let body = Data(bytes)
            let decoder = settings.decoder(recipe)
            let reference = Result { try decoder.decode(Probe.self, from: body).outcome }
            let ours = Result { () throws -> Outcome in
                let strict = try #require(StrictJSONDecoder(settingsOf: settings.decoder(recipe)))
                return try strict.decode(Probe.self, from: body).outcome
            }
            let isStrict = StrictGrammar.accepts(bytes)
            let agrees =
                switch (reference, ours) {
                case (.success(let reference), .success(let ours)): isStrict && reference == ours
                case (.success, .failure(let error)): !isStrict && error is JSONFault
                case (.failure, .success): false
                case (.failure, .failure(let error)): isStrict != (error is JSONFault)
                }
            if case .success = ours { read += 1 }
            if !isStrict { refused += 1 }
            if number % 50_000 == 49_999 { Progress.show("\(number + 1) cases of seed \(Self.seed)") }
            #expect(
                agrees,
                "case \(number) of seed \(Self.seed): \(String(decoding: bytes, as: UTF8.self)) as \(recipe) with \(settings): \(reference), ours \(ours)"
            )
        }
        // Cases that nearly all fail, or of which none is damaged, would prove little.
        #expect(read > Self.cases / (Damage.isEverywhere ? 50 : 8))
        #expect(refused > Self.cases / 10)
        print("\(Self.cases) cases of seed \(Self.seed): \(read) read, \(refused) not strict JSON")
    }

    /// Strategies by number, so that each of the two decoders gets its own.
    private struct Settings {
        let keys: Int
        let dates: Int
        let data: Int
        let namesFloats: Bool

        init(_ dice: inout Dice) {
            keys = dice.next(below: 3) % 3 == 2 && !dice.hits(oneIn: 2) ? 2 : dice.next(below: 2)
            dates = dice.next(below: 5)
            data = dice.next(below: 3)
            namesFloats = dice.hits(oneIn: 3)
        }

        func decoder(_ recipe: Recipe) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.userInfo[Probe.kitchen] = Probe.Kitchen(recipe)
            switch keys {
            case 1: decoder.keyDecodingStrategy = .convertFromSnakeCase
            case 2:
                decoder.keyDecodingStrategy = .custom { path in
                    Probe.Key((path.last?.stringValue ?? "").lowercased())
                }
            default: break
            }
            switch dates {
            case 1: decoder.dateDecodingStrategy = .secondsSince1970
            case 2: decoder.dateDecodingStrategy = .millisecondsSince1970
            case 3: decoder.dateDecodingStrategy = .iso8601
            case 4:
                decoder.dateDecodingStrategy = .custom { decoder in
                    Date(timeIntervalSince1970: Double(try decoder.singleValueContainer().decode(Int.self)))
                }
            default: break
            }
            switch data {
            case 1: decoder.dataDecodingStrategy = .deferredToData
            case 2:
                decoder.dataDecodingStrategy = .custom { decoder in
                    Data(try decoder.singleValueContainer().decode(String.self).utf8)
                }
            default: break
            }
            if namesFloats {
                decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
            }
            return decoder
        }
    }
}
