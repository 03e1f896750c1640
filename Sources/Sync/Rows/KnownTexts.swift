import JSON
import Persistence

/// The values that short texts of a column stand for. An enum has few values, and making one from its text takes several times
/// as long as finding it here.
// Unchecked, since each reading of a body makes its own, and uses it on one thread.
final class KnownTexts<Value: Primitive>: @unchecked Sendable {
    private static var limit: Int { 16 }

    // Checking each access at run time would take longer than comparing the texts.
    @exclusivity(unchecked) private var texts: [SIMD2<UInt64>] = []
    /// The value of each text. They are in memory of their own, since an array of a generic type takes longer to read.
    private let values = UnsafeMutablePointer<Value>.allocate(capacity: KnownTexts.limit)

    init(of type: Value.Type) {}

    deinit {
        values.deinitialize(count: texts.count)
        values.deallocate()
    }

    /// Puts the value of a text into an empty slot.
    ///
    /// - Parameter make: Puts the value of any JSON into the slot; returns false, and leaves the slot empty, if there is none.
    func read(_ json: JSONScalar, into slot: UnsafeMutableRawPointer, make: () -> Bool) -> Bool {
        guard let text = json.shortText else { return make() }
        let slot = slot.assumingMemoryBound(to: Value.self)
        for number in 0..<texts.count where texts[number] == text {
            slot.initialize(from: values + number, count: 1)
            return true
        }
        guard make() else { return false }
        if texts.count < Self.limit {
            (values + texts.count).initialize(from: slot, count: 1)
            texts.append(text)
        }
        return true
    }
}
