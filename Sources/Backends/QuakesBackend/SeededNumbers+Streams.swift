import LocalBackend

extension SeededNumbers {
    /// - Parameter stream: Different streams of one seed are independent of each other.
    init(seed: UInt64, stream: UInt64) {
        self.init(seed: seed &* 0xD134_2543_DE82_EF95 &+ stream &* 0x9E37_79B9_7F4A_7C15)
        _ = next()
    }

    mutating func element<Element>(of elements: [Element]) -> Element {
        elements[min(elements.count - 1, Int(fraction() * Double(elements.count)))]
    }
}
