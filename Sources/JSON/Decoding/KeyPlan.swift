/// Remembers where the keys of a type were found in an object of a shape, in the order in which they were asked for.
///
/// Types ask for their keys in the same order each time, and objects of the same shape have the same keys in the same places,
/// so that the answer for the first object is that for all others.
final class KeyPlan {
    let keyType: ObjectIdentifier
    let shape: UInt32
    private var names: [String] = []
    private var ordinals: [Int] = []
    private(set) var count = 0

    /// More are not remembered: it is a dictionary probably.
    private static let maximumCount = 1_024

    init(keyType: ObjectIdentifier, shape: UInt32) {
        self.keyType = keyType
        self.shape = shape
    }

    /// The number of the member that the key's value is in, or ``missing``; `nil` if another key was asked for at this point.
    @inline(__always)
    func ordinal(of name: String, lookup: Int) -> Int? {
        guard lookup < count, names[lookup] == name else { return nil }
        return ordinals[lookup]
    }

    func remember(_ name: String, _ ordinal: Int, lookup: Int) {
        guard lookup == count, count < Self.maximumCount else { return }
        names.append(name)
        ordinals.append(ordinal)
        count += 1
    }

    static var missing: Int { -1 }
}
