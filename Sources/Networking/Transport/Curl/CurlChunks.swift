#if canImport(CCurl)
/// Finds the end of a body that is sent in chunks (RFC 9112, 7.1). libcurl checks the chunks, but does not tell that the
/// last one has come while the request's own body is still being sent, nor shows what is in them before it unpacks it.
struct CurlChunks {
    private enum State {
        case size(Int)
        /// The rest of the line with the size.
        case rest(Int)
        case bytes(Int)
        /// The line break after the bytes.
        case end
        /// A line of a trailer, and the number of its bytes so far.
        case trailer(Int)
        case isOver
    }

    private var state = State.size(0)

    /// True if the last chunk and the trailers have come.
    var isComplete: Bool { if case .isOver = state { true } else { false } }

    /// - Parameter use: Called with the bytes of the body that are in a chunk.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, _ use: (UnsafeRawBufferPointer) -> Void = { _ in }) {
        var rest = bytes[...]
        while let byte = rest.first {
            if case .bytes(let count) = state {
                let taken = min(count, rest.count)
                use(UnsafeRawBufferPointer(rebasing: rest.prefix(taken)))
                rest = rest.dropFirst(taken)
                state = taken == count ? .end : .bytes(count - taken)
            } else {
                rest = rest.dropFirst()
                state = state(after: byte)
            }
        }
    }

    private func state(after byte: UInt8) -> State {
        let isLineEnd = byte == UInt8(ascii: "\n")
        switch state {
        case .size(let size), .rest(let size):
            if isLineEnd { return size == 0 ? .trailer(0) : .bytes(size) }
            guard case .size = state, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                return .rest(size)
            }
            // libcurl refuses a size beyond all numbers.
            return .size(size > Int.max >> 4 ? .max : size << 4 | digit)
        case .bytes, .isOver: return state
        case .end: return isLineEnd ? .size(0) : .end
        case .trailer(let count):
            if isLineEnd { return count == 0 ? .isOver : .trailer(0) }
            return byte == UInt8(ascii: "\r") ? state : .trailer(count + 1)
        }
    }
}
#endif
