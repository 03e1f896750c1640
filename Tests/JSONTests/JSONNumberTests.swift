import Foundation
import JSON
import JSONSamples
import Testing

@Suite("Numbers")
struct JSONNumberTests {
    private func node<Value>(_ text: String, _ read: (JSONNode) -> Value) -> Value? {
        try? JSONIndex.read(Data(text.utf8)) { read($0) }
    }

    @Test("Doubles are the nearest ones, to the last bit", arguments: 0..<8)
    func doubles(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<4_000 {
            let digits = 1 + dice.next(below: 24)
            let text = (0..<digits).map { _ in "\(dice.next(below: 10))" }.joined()
            let trimmed = text.drop { $0 == "0" }
            var number = trimmed.isEmpty ? "0" : String(trimmed)
            if dice.hits(oneIn: 2) { number += ".\(dice.next(below: 1_000_000))" }
            if dice.hits(oneIn: 2) { number += "e\(dice.next(below: 160) - 80)" }
            if dice.hits(oneIn: 50) { number += number.contains("e") ? "0" : "e-3\(dice.next(below: 40))" }
            let nearest = Double(number)
            let isLost = nearest == 0 && number.prefix { $0 != "e" }.contains { "123456789".contains($0) }
            let expected = isLost || nearest?.isFinite == false ? nil : nearest
            #expect(node(number) { $0.double } ?? nil == expected, "\(number)")
            let float = Float(number)
            let isFloatLost = float == 0 && number.prefix { $0 != "e" }.contains { "123456789".contains($0) }
            #expect(
                node(number) { $0.float } ?? nil == (isFloatLost || float?.isFinite == false ? nil : float), "\(number)"
            )
        }
    }

    @Test("Every Double reads back from its own digits", arguments: 0..<8)
    func roundTrips(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<4_000 {
            let value = Double(bitPattern: dice.next())
            guard value.isFinite else { continue }
            #expect(node("\(value)") { $0.double?.bitPattern } == value.bitPattern, "\(value)")
            let short = Double(Int64(truncatingIfNeeded: dice.next()) >> 20) / 1_000_000
            #expect(node("\(short)") { $0.double?.bitPattern } == short.bitPattern, "\(short)")
        }
    }

    @Test(
        "Numbers half way between two Doubles go to the even one",
        arguments: [
            "9007199254740993", "9007199254740995", "9007199254740993.0", "9007199254740992.9999999999",
            "9007199254740993.00000000000000000000001", "1.00000000000000011102230246251565404",
            "1.00000000000000011102230246251565403", "4503599627370496.5", "4503599627370497.5", "8.5e15", "5e-324",
            "2.2250738585072014e-308", "18446744073709551616", "184467440737095516160", "1.8446744073709551616",
            "2.2250738585072011e-308", "1.7976931348623157e308", "0.1", "-0.0", "-0",
            "0e999", "562949953421312.0625", "562949953421312.1875", "1e23",
        ])
    func halfway(_ text: String) {
        #expect(node(text) { $0.double?.bitPattern } == Double(text)?.bitPattern)
    }

    @Test(
        "A number that no Double holds is refused",
        arguments: ["1e309", "-1e999", "1e-400", "0.0000001e-320", "1e99999999999999999999"])
    func unrepresentable(_ text: String) {
        #expect(node(text) { $0.double } == .some(nil))
    }

    @Test(
        "Integers are exact, and nil where they do not fit",
        arguments: ["0", "-0", "127", "128", "-128", "-129", "268435455", "268435456", "-268435456", "999999999"]
            + ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615"]
            + [
                "18446744073709551616", "170141183460469231731687303715884105727",
                "-170141183460469231731687303715884105729",
            ])
    func integers(_ text: String) {
        #expect(node(text) { $0.integer(Int8.self) } == Int8(text))
        #expect(node(text) { $0.integer(UInt32.self) } == UInt32(text))
        #expect(node(text) { $0.integer(Int64.self) } == Int64(text))
        #expect(node(text) { $0.integer(UInt64.self) } == UInt64(text))
        #expect(node(text) { $0.integer(Int128.self) } == Int128(text))
    }

    @Test(
        "Integers may be written with a point or an exponent",
        arguments: [
            ("1.0", 1), ("1e3", 1_000), ("-2.50e1", -25), ("1.5", nil), ("9007199254740993.0", 9_007_199_254_740_993),
            ("9.007199254740993e15", 9_007_199_254_740_993), ("1e19", nil), ("-1e-400", 0),
        ] as [(String, Int?)])
    func wholeFractions(_ text: String, _ value: Int?) {
        #expect(node(text) { $0.integer(Int.self) } == .some(value))
    }

    @Test(
        "Numbers that JSON cannot write are read by their names",
        arguments: [["inf", "-inf", "nan"], ["∞", "−∞", "ничего"]])
    func names(_ names: [String]) throws {
        let foundation = JSONDecoder()
        foundation.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: names[0], negativeInfinity: names[1], nan: names[2])
        let decoder = try #require(StrictJSONDecoder(settingsOf: foundation))
        let numbers = try decoder.decode([Double].self, from: JSONEncoder().encode(names))
        #expect(numbers[0] == .infinity && numbers[1] == -.infinity && numbers[2].isNaN)
        #expect(try decoder.decode([Float].self, from: JSONEncoder().encode([names[1]])) == [-.infinity])
        #expect(throws: DecodingError.self) { try decoder.decode([Double].self, from: Data(#"["other"]"#.utf8)) }
    }
}
