/// The values that were encoded, as a tree over the bytes of their texts.
///
/// Types may write to several containers in turns, and to one key twice, so the text can't be written in one pass. The
/// tree stores keys and texts in the order in which they come; ``TreeWriter`` puts them in order.
final class EncodedTree {
    enum Kind: UInt8 {
        /// Nothing was encoded; it is written as an empty object.
        case nothing
        /// Encoding the value failed; it is not written.
        case removed
        case text
        case array
        case object
    }

    struct Node {
        var kind = Kind.nothing
        /// True if the key is only ASCII, so that equal keys have equal bytes.
        var hasPlainKey = true
        /// The next node of the same container, and a container's first and last; 0, the root, stands for none.
        var next: Int32 = 0
        var first: Int32 = 0
        var last: Int32 = 0
        /// The number of a container's nodes that are not removed.
        var count: Int32 = 0
        /// The place of the key in the bytes, with its quotes, and the text of a value.
        var key: Range<Int> = 0..<0
        var text: Range<Int> = 0..<0
    }

    static var root: Int { 0 }

    /// The bytes. They are behind a pointer, since each access to a stored property of a class is checked for
    /// exclusivity.
    var bytes: ByteBuffer {
        @inline(__always) _read { yield buffer.pointee }
        @inline(__always) _modify { yield &buffer.pointee }
    }
    private let buffer = UnsafeMutablePointer<ByteBuffer>.allocate(capacity: 1)
    private var nodes = UnsafeMutablePointer<Node>.allocate(capacity: 16)
    private var count = 1
    private var capacity = 16
    /// The keys of wide objects that were searched, by the objects' nodes.
    var keyIndexes: [Int: KeyIndex] = [:]

    init() {
        nodes.initialize(to: Node())
        buffer.initialize(to: ByteBuffer(capacity: 512))
    }

    deinit {
        nodes.deallocate()
        buffer.deinitialize(count: 1)
        buffer.deallocate()
    }

    /// The node with this number, which must exist.
    subscript(node: Int) -> Node {
        @inline(__always) get { nodes[node] }
    }

    /// Adds a node to the end of a container.
    @inline(__always)
    func append(to container: Int, key: Range<Int> = 0..<0, hasPlainKey: Bool = true) -> Int {
        if count == capacity { grow() }
        let node = count
        (nodes + node).initialize(to: Node(hasPlainKey: hasPlainKey, key: key))
        count &+= 1
        let last = Int(nodes[container].last)
        if last == 0 { nodes[container].first = Int32(node) } else { nodes[last].next = Int32(node) }
        nodes[container].last = Int32(node)
        nodes[container].count &+= 1
        return node
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: nodes, count: count)
        nodes.deallocate()
        (nodes, capacity) = (larger, capacity * 2)
    }

    /// Makes a node a container of a kind, unless it is one.
    func open(_ node: Int, as kind: Kind) {
        guard nodes[node].kind != kind else { return }
        nodes[node].kind = kind
        (nodes[node].first, nodes[node].last, nodes[node].count) = (0, 0, 0)
    }

    /// Makes the bytes that were written since `start` the text of a node.
    @inline(__always)
    func setText(of node: Int, from start: Int) {
        nodes[node].kind = .text
        nodes[node].text = start..<bytes.count
    }

    /// Makes a node for which nothing was encoded an empty object.
    func fill(_ node: Int) {
        if nodes[node].kind == .nothing { nodes[node].kind = .object }
    }

    func remove(_ node: Int, from container: Int) {
        nodes[node].kind = .removed
        nodes[container].count &-= 1
    }

    @inline(__always)
    func haveEqualKeys(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        return bytes.areEqual(a, b)
    }
}
