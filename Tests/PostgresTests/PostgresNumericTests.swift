import Persistence
import Testing

@testable import Postgres

@Suite("The binary form of PostgreSQL's numeric")
struct PostgresNumericTests {
    /// Words of 16 bits: the number of digits to base 10,000, the weight of the first one, the sign, the number of decimals
    /// to show, and the digits.
    private func bytes(_ words: [UInt16]) -> [UInt8] { words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    private func number(_ words: [UInt16]) -> Int128? {
        bytes(words).withUnsafeBytes { PostgresNumeric($0)?.number }
    }

    private func real(_ words: [UInt16]) -> Double? { bytes(words).withUnsafeBytes { PostgresNumeric.real($0) } }

    private func written(_ number: UInt64) -> [UInt16] {
        var words: [UInt16] = []
        PostgresNumeric(number).write { words.append($0) }
        return words
    }

    @Test("A number is written with as few digits as it needs, and read again")
    func wholeNumbers() {
        #expect(written(0) == [0, 0, 0, 0])
        #expect(written(1) == [1, 0, 0, 0, 1])
        #expect(written(9_999) == [1, 0, 0, 0, 9_999])
        #expect(written(10_000) == [2, 1, 0, 0, 1, 0])
        #expect(written(123_456_789) == [3, 2, 0, 0, 1, 2_345, 6_789])
        for number in [0, 1, 10_000, 123_456_789, UInt64(Int64.max) + 1, .max] as [UInt64] {
            #expect(self.number(written(number)) == Int128(number))
        }
    }

    @Test("Zeros at the end of a number need no digits")
    func zeros() {
        #expect(number([1, 2, 0, 0, 3]) == 300_000_000)
        #expect(number([1, 0, 0x4000, 0, 7]) == -7)
        #expect(number([2, 0, 0, 2, 7, 0]) == 7)
        #expect(number([0, 0xFFFF, 0, 0]) == 0)
    }

    @Test(
        "A value that is not a whole number, or no number at all, is not read as one",
        arguments: [
            [2, 0, 0, 1, 7, 5_000], [1, 0xFFFF, 0, 1, 5_000], [0, 0, 0xC000, 0], [0, 0, 0xD000, 0], [1, 10, 0, 0, 1],
            [1, 9, 0, 0, 9_999], [2, 0, 0, 0, 1], [1, 0, 0], [],
        ] as [[UInt16]])
    func notWhole(words: [UInt16]) {
        #expect(number(words) == nil)
    }

    @Test("It is a kind of number that a store has, if one is large enough")
    func values() {
        func value(_ words: [UInt16]) -> PrimitiveValue? {
            bytes(words).withUnsafeBytes { PostgresNumeric($0)?.value }
        }
        #expect(value(written(UInt64(Int64.max))) == .integer(.max))
        #expect(value(written(UInt64(Int64.max) + 1)) == .unsigned(UInt64(Int64.max) + 1))
        #expect(value([1, 0, 0x4000, 0, 7]) == .integer(-7))
        #expect(value([1, 6, 0, 0, 1]) == nil)
    }

    @Test("The nearest real is read from any number")
    func reals() {
        #expect(real([2, 0, 0, 1, 7, 5_000]) == 7.5)
        #expect(real([2, 0, 0x4000, 1, 7, 5_000]) == -7.5)
        #expect(real([1, 0xFFFF, 0, 4, 1]) == 0.0001)
        #expect(real([1, 10, 0, 0, 1]) == 1e40)
        #expect(real([0, 0, 0, 0]) == 0)
        #expect(real([0, 0, 0xC000, 0])?.isNaN == true)
        #expect(real([0, 0, 0xD000, 0]) == .infinity)
        #expect(real([0, 0, 0xF000, 0]) == -.infinity)
        #expect(real([1, 0, 0]) == nil)
    }
}
