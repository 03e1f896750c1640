/// A random number generator that gives the same numbers for the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter stream: Different streams of one seed are independent of each other.
    init(seed: UInt64, stream: UInt64) {
        state = seed &* 0xD134_2543_DE82_EF95 &+ stream &* 0x9E37_79B9_7F4A_7C15
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, 1.
    mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    mutating func element<Element>(of elements: [Element]) -> Element {
        elements[min(elements.count - 1, Int(fraction() * Double(elements.count)))]
    }
}
