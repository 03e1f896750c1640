import Foundation
import JSONSamples
import Testing

@testable import JSON

/// A shortcut must be taken where it can be: without it the results are the same, and only the time is another.
@Suite("Shortcuts")
struct JSONShortcutTests {
    @Test("Numbers of common size are read by multiplication, to the last bit", arguments: 0..<4 as Range<UInt64>)
    func numbers(seed: UInt64) {
        var dice = Dice(seed: seed)
        var undecided = 0
        for _ in 0..<4_000 {
            let (significand, exponent) = (dice.next() >> UInt64(dice.next(below: 60)), dice.next(below: 129) - 64)
            guard let double = EiselLemire.double(significand, exponent) else {
                undecided += 1
                continue
            }
            if double != Double("\(significand)e\(exponent)") { Issue.record("\(significand)e\(exponent): \(double)") }
        }
        #expect(undecided <= 2)
    }

    @Test("Other numbers are left to the exact way, except zero")
    func otherNumbers() {
        for exponent in [-64, 64] { #expect(EiselLemire.double(1, exponent) == Double("1e\(exponent)")) }
        for exponent in [-65, 65, .min, .max] {
            #expect(EiselLemire.double(1, exponent) == nil && EiselLemire.double(0, exponent) == 0)
        }
    }

    @Test("No fault is found in well-formed UTF-8, wherever a block begins")
    func wellFormed() throws {
        let borders: [UInt32] = [
            0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000,
            0xFFFFF, 0x100000, 0x10FFFF,
        ]
        for number in borders {
            let scalar = Character(try #require(Unicode.Scalar(number)))
            let text = "aaa" + String(repeating: scalar, count: 9) + String(repeating: "a", count: 40)
            Array(text.utf8).withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                for offset in 3...bytes.count - 2 * TextBlock.size {
                    #expect(TextBlock.utf8Fault(inTwoFrom: start + offset) == 2 * TextBlock.size)
                }
            }
        }
    }

    @Test("A plan knows each key that was asked for, in its place, up to 1,024")
    func keyPlan() {
        let names = (0..<1_100).map { $0 % 2 == 0 ? "k\($0)" : "a key of more than fifteen bytes, number \($0)" }
        let plan = KeyPlan(keyType: ObjectIdentifier(Int.self), shape: 1)
        #expect(plan.ordinal(of: names[0], lookup: 0) == nil)
        plan.remember(names[1], 1, lookup: 1)
        #expect(plan.count == 0)
        for (number, name) in names.enumerated() { plan.remember(name, 2 * number, lookup: number) }
        #expect(plan.count == 1_024)
        for (number, name) in names.enumerated() {
            #expect(plan.ordinal(of: name, lookup: number) == (number < 1_024 ? 2 * number : nil))
            #expect(plan.ordinal(of: "other", lookup: number) == nil)
        }
        plan.remember("other", 7, lookup: 3)
        #expect(plan.ordinal(of: names[3], lookup: 3) == 6)
    }

    // MARK: - Members in their order

    /// A tree of an object with these keys.
    private func tree(_ names: [String]) -> EncodedTree {
        let tree = EncodedTree()
        tree.open(EncodedTree.root, as: .object)
        for name in names {
            let start = tree.bytes.count
            let isPlain = tree.bytes.appendString(name, escapesSlashes: true)
            let node = tree.append(to: EncodedTree.root, key: start..<tree.bytes.count, hasPlainKey: isPlain)
            tree.setText(of: node, from: tree.bytes.count)
        }
        return tree
    }

    private func reordered(_ names: [String], sorted: Bool = false) -> [[Int]]? {
        let tree = tree(names)
        return tree.reorderedMembers(of: tree[EncodedTree.root], sorted: sorted)?.map { [$0.key, $0.value] }
    }

    @Test(
        "Members are put in another order only if a key occurs twice, or if they are sorted",
        arguments: [1, 15, 16, 17, 40])
    func members(count: Int) {
        for prefix in ["k", "é"] {
            let names = (0..<count).map { "\(prefix)\($0)" }
            #expect(reordered(names) == nil)
            let sorted = names.indices.sorted { names[$0].utf8.lexicographicallyPrecedes(names[$1].utf8) }
            #expect(reordered(names, sorted: true) == sorted.map { [$0 + 1, $0 + 1] })
            for place in [0, count - 1] {
                var expected = names.indices.map { [$0 + 1, $0 + 1] }
                expected[place][1] = count + 1
                #expect(reordered(names + [names[place]]) == expected)
                #expect(reordered(names + [names[place].replacing("é", with: "e\u{301}")]) == expected)
            }
        }
        #expect(reordered([]) == nil)
    }

    // MARK: - Known keys

    /// The numbers of the nodes at which each key of the objects of a list is recognized, by what stands before its value.
    private func nodes(_ objects: [[String]]) throws -> [[Int]] {
        var (text, places) = ("[", [[Int]]())
        for object in objects {
            text += text == "[" ? "{" : ",{"
            var objectPlaces: [Int] = []
            for key in object {
                objectPlaces.append(text.utf8.count)
                text += "\(key)0"
            }
            places.append(objectPlaces)
            text += "}"
        }
        text += "]" + String(repeating: " ", count: 64)
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBufferPointer { buffer in
            let start = try #require(buffer.baseAddress)
            var scanner = JSONScanner(start, count: bytes.count, JSONTape(bodySize: bytes.count), JSONKeyTree())
            defer {
                scanner.tape.deallocate()
                scanner.keys.deallocate()
            }
            try scanner.scan()
            return places.enumerated().map { number, places in
                var node = 0
                return places.enumerated().map { place, offset in
                    node = scanner.keys.next(after: node, at: offset, start, end: bytes.count)
                    if node != JSONKeyTree.none {
                        #expect(Int(scanner.keys.nodes[node].length) == objects[number][place].utf8.count)
                        #expect(scanner.keys.next(after: node, at: offset, start, end: bytes.count) == JSONKeyTree.none)
                    }
                    return node
                }
            }
        }
    }

    @Test("Keys that stood in the same place before are recognized by their bytes, of any number")
    func knownKeys() throws {
        let keys = (1...40).map { "\"\(String(repeating: "k", count: $0))\":" } + [#""a" : "#, "\n   \"b\":\t"]
        for first in keys {
            for second in [",\"id\":", ", \"a key of more than sixteen bytes\" : "] {
                let found = try nodes([
                    [first, second], [first, second], [second.dropFirst() + "", "," + first], [first, second],
                ])
                #expect(found[0][0] != JSONKeyTree.none && found[0][1] != JSONKeyTree.none)
                #expect(found[1] == found[0] && found[3] == found[0])
                #expect(Set(found[0] + found[2]).count == 4 && !found[2].contains(JSONKeyTree.none))
            }
        }
    }

    @Test("In one place, eight keys are recognized")
    func siblings() throws {
        let found = try nodes((0..<12).map { ["\"k\($0)\":"] })
        #expect(found.map { $0[0] != JSONKeyTree.none } == (0..<12).map { $0 < 8 })
    }
}
