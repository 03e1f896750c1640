/// A record of where the keys of a type were found in an object of a shape, in the order in which they were asked for.
///
/// A type asks for its keys in the same order each time, and objects of one shape have the same keys in the same
/// places. So the members found in one object are the right ones in all others.
final class KeyPlan {
    let keyType: ObjectIdentifier
    let shape: UInt32
    private(set) var count = 0
    private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: 16)
    private var capacity = 16
    /// The strings whose bits the entries hold, kept alive here.
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

    /// An object with more keys is probably a dictionary, so further keys are not recorded.
    private static var maximumCount: Int { 1_024 }

    init(keyType: ObjectIdentifier, shape: UInt32) {
        self.keyType = keyType
        self.shape = shape
        names.reserveCapacity(capacity)
    }

    deinit { entries.deallocate() }

    /// Returns the number of the member that has the key, or ``missing``; `nil` if another key was asked for at this
    /// point.
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
