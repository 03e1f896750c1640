/// The words of an index, in memory that grows.
///
/// The tape is read and written for every value of a body, so it uses raw memory: an array would check bounds at each
/// access, and uniqueness at each append. The owner calls ``deallocate()``.
struct JSONTape {
    private(set) var words: UnsafeMutablePointer<UInt64>
    private(set) var count = 0
    private var capacity: Int

    /// An empty tape for a body with this number of bytes.
    init(bodySize: Int) {
        capacity = bodySize / 6 + 16
        words = .allocate(capacity: capacity)
    }

    /// An empty tape for another body, in the memory of this one if that suffices.
    func cleared(bodySize: Int) -> JSONTape {
        var tape = self
        tape.count = 0
        if capacity >= bodySize / 6 + 16 { return tape }
        deallocate()
        return JSONTape(bodySize: bodySize)
    }

    /// An empty tape that takes at most 512 KB. (Memory that the system has just given costs more time than writing the tape.)
    func shrunk() -> JSONTape {
        if capacity <= 65_536 { return self }
        deallocate()
        return JSONTape(bodySize: 0)
    }

    func deallocate() { words.deallocate() }

    /// The token at a position below `count`.
    @inline(__always)
    subscript(position: Int) -> JSONToken {
        assert(position >= 0 && position < count)
        return JSONToken(word: words[position])
    }

    @inline(__always)
    mutating func append(_ token: JSONToken) {
        if count == capacity { grow() }
        words[count] = token.word
        count &+= 1
    }

    /// Appends the two words of a container. Its payload and its second word are free until it ends.
    @inline(__always)
    mutating func appendContainer(_ token: JSONToken) {
        if count &+ 2 > capacity { grow() }
        words[count] = token.word
        words[count &+ 1] = 0
        count &+= 2
    }

    @inline(__always)
    func endContainer(at position: Int, members: Int, shape: UInt32) {
        let token = self[position]
        words[position] = JSONToken(token.kind, payload: count &- position, offset: token.offset).word
        words[position &+ 1] = UInt64(shape) &<< 32 | UInt64(UInt32(truncatingIfNeeded: members))
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: words, count: count)
        words.deallocate()
        (words, capacity) = (larger, capacity * 2)
    }
}
