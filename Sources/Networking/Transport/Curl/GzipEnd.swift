#if canImport(CCurl)
/// The end of a body that is packed with gzip: the number of bytes that it unpacks to (RFC 1952, 2.3.1).
///
/// libcurl unpacks a part of such a body as if it were all, if only the message has the end that HTTP wants. It refuses bytes
/// after the end.
struct GzipEnd {
    /// The length of the packed body, if the head declares it.
    private let length: Int64?
    private var count: Int64 = 0
    /// The first two bytes, and the last four.
    private var (first, last): (UInt16, UInt32) = (0, 0)
    private var unpackedCount: UInt32 = 0

    init(length: Int64?) { self.length = length }

    /// Takes bytes of the packed body. Those beyond its declared length do not belong to it.
    mutating func receive(packed bytes: UnsafeRawBufferPointer) {
        for byte in bytes.prefix(max(0, 2 - Int(count))) { first = first << 8 | UInt16(byte) }
        let taken = length.map { Int(min(Int64(bytes.count), $0 - count)) } ?? bytes.count
        for byte in bytes[..<taken].suffix(4) { last = last >> 8 | UInt32(byte) << 24 }
        count += Int64(taken)
    }

    /// Takes a number of bytes that were unpacked.
    mutating func receive(unpackedCount: Int) { self.unpackedCount &+= UInt32(truncatingIfNeeded: unpackedCount) }

    /// True if the body ends where it should, or is empty. libcurl unpacks some others with the name of gzip, too.
    var isComplete: Bool { count == 0 || count > 1 && first != 0x1F8B || count >= 18 && last == unpackedCount }
}
#endif
