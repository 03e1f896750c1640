import FeedbackTesting
import Foundation
import JSON
import JSONSamples
import Testing

/// Encodes random values with `JSONEncoder` and with ours, with sorted keys. `JSON_CASES=1000000 JSON_SEED=7` runs more cases, and
/// other ones.
@Suite("The same text as JSONEncoder", .onOwnThread)
struct EncodingDifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let cases = environment["JSON_CASES"].flatMap { Int($0) } ?? 20_000
    private static let seed = environment["JSON_SEED"].flatMap { UInt64($0) } ?? 20_261_121

    @Test("Texts are equal byte for byte, and the same values fail", .timeLimit(.minutes(cases > 100_000 ? 600 : 30)))
    func differential() {
        var dice = Dice(seed: Self.seed)
        var written = 0
        for number in 0..<Self.cases {
            let value = RandomValue.random(&dice)
            let encoder = Self.encoder(&dice)
            let reference = Result { try encoder.encode(value) }
            let ours = Result { try #require(StrictJSONEncoder(settingsOf: encoder)).encode(value) }
            let agrees =
                switch (reference, ours) {
                case (.success(let reference), .success(let ours)): reference == ours
                case (.failure, .failure): true
                default: false
                }
            if case .success = ours { written += 1 }
            if number % 50_000 == 49_999 { Progress.show("\(number + 1) values of seed \(Self.seed)") }
            #expect(
                agrees,
                "case \(number) of seed \(Self.seed): \(value): \(Self.text(reference)), ours \(Self.text(ours))")
        }
        #expect(written > Self.cases / 2)
        print("\(Self.cases) cases of seed \(Self.seed): \(written) written")
    }

    private static func text(_ result: Result<Data, any Error>) -> String {
        switch result {
        case .success(let data): String(decoding: data, as: UTF8.self)
        case .failure(let error): "\(error)"
        }
    }

    private static func encoder(_ dice: inout Dice) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        if dice.hits(oneIn: 3) { encoder.outputFormatting.insert(.prettyPrinted) }
        if dice.hits(oneIn: 3) { encoder.outputFormatting.insert(.withoutEscapingSlashes) }
        switch dice.next(below: 5) {
        case 0: encoder.keyEncodingStrategy = .convertToSnakeCase
        case 1: encoder.keyEncodingStrategy = .custom { Probe.Key("\($0.last?.stringValue ?? "").") }
        default: break
        }
        switch dice.next(below: 6) {
        case 0: encoder.dateEncodingStrategy = .secondsSince1970
        case 1: encoder.dateEncodingStrategy = .millisecondsSince1970
        case 2: encoder.dateEncodingStrategy = .iso8601
        case 3:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode("\(Int(date.timeIntervalSince1970))")
            }
        default: break
        }
        switch dice.next(below: 4) {
        case 0: encoder.dataEncodingStrategy = .deferredToData
        case 1: encoder.dataEncodingStrategy = .custom { _, _ in }
        default: break
        }
        if dice.hits(oneIn: 2) {
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
        }
        return encoder
    }
}
