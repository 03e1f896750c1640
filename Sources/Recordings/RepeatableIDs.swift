import Feedback
import Foundation

/// A sequence of identifiers. The same seed gives the same identifiers, so that a replay makes those that were
/// recorded.
public final class RepeatableIDs: Sendable {
    /// The seed. It differs between recordings, because two that are made at the same time must not make the same
    /// identifiers.
    public let seed: Int
    private let count = Locked<UInt64>(0)

    /// Makes a sequence that begins with its first identifier.
    public init(seed: Int) { self.seed = seed }

    /// Returns the next identifier.
    public func next() -> UUID {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let start = Self.mixed(UInt64(bitPattern: Int64(seed)))
        let (high, low) = (Self.mixed(start &+ 2 * number), Self.mixed(start &+ 2 * number &+ 1))
        var bytes = withUnsafeBytes(of: (high, low)) { Array($0) }
        // The bits that mark a random UUID.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Spreads a number over all bits (the finalizer of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
