/// Copies of the texts of keys, one after the other.
struct JSONKeyTexts {
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var capacity = 256
    /// The number of bytes that are of the bodies before this one.
    private var oldCount = 0

    init() { bytes = .allocate(capacity: capacity) }

    func deallocate() { bytes.deallocate() }

    /// Begins another body.
    mutating func begin() { oldCount = count }

    /// Returns true if the text at an offset is of a body before this one.
    func isOld(_ start: UInt32) -> Bool { start < oldCount }

    /// True if they take at most 256 KB.
    var isSmall: Bool { capacity <= 262_144 }

    /// Copies a text; returns the offset of the copy.
    mutating func append(_ text: UnsafePointer<UInt8>, count length: Int) -> UInt32 {
        if count + length > capacity {
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * (capacity + length))
            larger.moveInitialize(from: bytes, count: count)
            bytes.deallocate()
            (bytes, capacity) = (larger, 2 * (capacity + length))
        }
        (bytes + count).initialize(from: text, count: length)
        defer { count += length }
        return UInt32(truncatingIfNeeded: count)
    }
}
