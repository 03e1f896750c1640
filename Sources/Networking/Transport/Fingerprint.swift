/// A number for texts that is the same on every run (FNV-1a).
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(of texts: String...) {
        for text in texts {
            for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // A byte that no UTF-8 has separates two texts.
            value = (value ^ 0xFF) &* 0x100_0000_01B3
        }
    }
}
