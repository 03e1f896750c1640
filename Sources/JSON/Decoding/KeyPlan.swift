/// Remembers where the keys of a type were found in an object of a shape, in the order in which they were asked for.
///
/// Types ask for their keys in the same order each time, and objects of the same shape have the same keys in the same places,
/// so that the answer for the first object is that for all others.
final class KeyPlan {
    let keyType: ObjectIdentifier
    let shape: UInt32
    private(set) var count = 0
    private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: 16)
    private var capacity = 16
    /// Keeps the strings alive whose bits the entries have.
    private var names: [String] = []

    private struct Entry: BitwiseCopyable {
        let name: StringBits
        let ordinal: Int
    }

    /// The two words of a string. Equal words are equal strings, as long as one of them is kept; the converse does not hold.
    private struct StringBits: Equatable, BitwiseCopyable {
        let first: UInt64
        let second: UInt64

        @inline(__always)
        init(_ string: String) {
            (first, second) = unsafeBitCast(string, to: (UInt64, UInt64).self)
        }
    }

    /// More are not remembered: it is a dictionary probably.
    private static var maximumCount: Int { 1_024 }

    init(keyType: ObjectIdentifier, shape: UInt32) {
        self.keyType = keyType
        self.shape = shape
    }

    deinit { entries.deallocate() }

    /// The number of the member that the key's value is in, or ``missing``; `nil` if another key was asked for at this point.
    @inline(__always)
    func ordinal(of name: String, lookup: Int) -> Int? {
        guard lookup < count, entries[lookup].name == StringBits(name) else { return nil }
        return entries[lookup].ordinal
    }

    func remember(_ name: String, _ ordinal: Int, lookup: Int) {
        guard lookup == count, count < Self.maximumCount else { return }
        if count == capacity {
            let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 4)
            larger.update(from: entries, count: count)
            entries.deallocate()
            (entries, capacity) = (larger, capacity * 4)
        }
        names.append(name)
        (entries + count).initialize(to: Entry(name: StringBits(name), ordinal: ordinal))
        count += 1
    }

    static var missing: Int { -1 }
}
