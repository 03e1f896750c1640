import Foundation
import Testing

@testable import LocalBackend

@Suite("Bytes on their way out")
struct OutboundTests {
    /// Takes all bytes, at most `limit` with each call, and returns them with the number of calls.
    private func drained(_ outbound: inout Outbound, limit: Int = .max) -> (bytes: Data, calls: Int) {
        var (bytes, calls) = (Data(), 0)
        while !outbound.isEmpty {
            _ = outbound.drain { part in
                let count = min(part.count, limit)
                bytes.append(contentsOf: part.prefix(count))
                calls += 1
                return count
            }
        }
        return (bytes, calls)
    }

    @Test("Small portions are sent together, so that many of them take few calls")
    func smallPortions() {
        var outbound = Outbound()
        for number in 0..<200_000 { outbound.append(Data([UInt8(truncatingIfNeeded: number)])) }
        #expect(outbound.count == 200_000)
        let (bytes, calls) = drained(&outbound)
        #expect(bytes == Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }))
        #expect(calls <= 13)
    }

    @Test("Portions that are large together are not copied into one")
    func largePortions() {
        var outbound = Outbound()
        var sizes: [Int] = []
        for size in [10_000, 10_000, 20_000, 20_001, 6_384, 10_000] { outbound.append(Data(count: size)) }
        while !outbound.isEmpty {
            _ = outbound.drain { bytes in
                sizes.append(bytes.count)
                return bytes.count
            }
        }
        #expect(sizes == [10_000, 10_000, 20_000, 20_001, 16_384])
    }

    @Test("The bytes keep their order, whatever the sizes of portions and calls", arguments: [1, 7, 5_000, 70_000])
    func order(limit: Int) {
        var outbound = Outbound()
        var (expected, received) = (Data(), Data())
        for (number, size) in [3, 20_000, 1, 0, 16_384, 5, 16_383, 9, 70_000, 2].enumerated() {
            // A part of other bytes, whose indices do not begin at zero.
            let portion = Data(repeating: UInt8(number), count: size + 1).dropFirst()
            expected += portion
            outbound.append(portion)
            if number % 3 == 1 {
                _ = outbound.drain { part in
                    received.append(contentsOf: part.prefix(limit))
                    return min(part.count, limit)
                }
            }
        }
        received += drained(&outbound, limit: limit).bytes
        #expect(received == expected && outbound.isEmpty)
    }
}
