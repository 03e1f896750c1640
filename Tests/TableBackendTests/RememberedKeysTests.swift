import Feedback
import Foundation
import LocalBackend
import Testing

@testable import TableBackend

struct RememberedKeysTests {
    private let count = MutableProperty(0)

    /// Asks with a key; returns how often work was done so far.
    private func ask(_ keys: RememberedKeys, _ key: String, status: Int = 200, bytes: Int = 1) async -> Int {
        _ = await keys.response(to: key) { [count] in
            count.modify { $0 += 1 }
            return .data(Data(count: bytes), contentType: "text/plain", status: status)
        }
        return count.value
    }

    /// Begins work for a key, which lasts until `end` is called.
    private func begin(
        _ keys: RememberedKeys, _ key: String, bytes: Int
    ) async -> (work: Task<Void, Never>, end: () -> Void) {
        let (began, beginner) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let work = Task { [count] in
            _ = await keys.response(to: key) {
                count.modify { $0 += 1 }
                beginner.finish()
                for await _ in gate {}
                return .data(Data(count: bytes), contentType: "text/plain")
            }
        }
        for await _ in began {}
        return (work, { opener.finish() })
    }

    @Test("A key whose first request failed is remembered as long as any other after its second one")
    func failedFirst() async {
        let keys = RememberedKeys(limit: 4)
        #expect(await ask(keys, "a", status: 500) == 1)
        for key in ["b", "c", "d", "e"] { _ = await ask(keys, key) }
        #expect(await ask(keys, "a") == 6)
        for key in ["f", "g", "h"] { _ = await ask(keys, key) }
        #expect(await ask(keys, "a") == 9)
    }

    @Test("A key whose work is under way is not forgotten to make room, and its answer counts once")
    func underWay() async {
        let keys = RememberedKeys(limit: 100, maximumBytes: 10)
        let slow = await begin(keys, "a", bytes: 3)
        #expect(await ask(keys, "b", bytes: 8) == 2)
        #expect(await ask(keys, "c", bytes: 8) == 3)
        #expect(await ask(keys, "b", bytes: 8) == 4)
        let repeated = Task { await ask(keys, "a") }
        slow.end()
        await slow.work.value
        #expect(await repeated.value == 4)
        // The answers of 3 and 7 bytes have room together.
        #expect(await ask(keys, "d", bytes: 7) == 5)
        #expect(await ask(keys, "a") == 5)
        #expect(await ask(keys, "d") == 5)
    }

    @Test("A key whose work is under way is not forgotten when there are many keys")
    func underWayAmongMany() async {
        let keys = RememberedKeys(limit: 2)
        let slow = await begin(keys, "a", bytes: 1)
        for key in ["b", "c", "d", "e", "f"] { _ = await ask(keys, key) }
        #expect(count.value == 6)
        let repeated = Task { await ask(keys, "a") }
        slow.end()
        await slow.work.value
        #expect(await repeated.value == 6)
    }

    @Test("Up to twice as many keys as the limit are remembered, and then the oldest of them are forgotten")
    func many() async {
        let keys = RememberedKeys(limit: 2)
        for key in ["a", "b", "c", "d"] { _ = await ask(keys, key) }
        #expect(await ask(keys, "a") == 4)
        #expect(await ask(keys, "e") == 5)
        for key in ["c", "d", "e"] { #expect(await ask(keys, key) == 5) }
        #expect(await ask(keys, "b") == 6)
        #expect(await ask(keys, "a") == 7)
    }

    @Test("The oldest answers are forgotten when all together are too large, and the newest one is kept")
    func bytes() async {
        let keys = RememberedKeys(limit: 100, maximumBytes: 1_000)
        for key in ["a", "b", "c"] { _ = await ask(keys, key, bytes: 300) }
        #expect(await ask(keys, "a") == 3)
        #expect(await ask(keys, "d", bytes: 300) == 4)
        #expect(await ask(keys, "d") == 4)
        #expect(await ask(keys, "a") == 5)
        #expect(await ask(keys, "e", bytes: 5_000) == 6)
        #expect(await ask(keys, "e") == 6)
    }
}
