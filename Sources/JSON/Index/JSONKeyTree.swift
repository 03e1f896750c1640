/// The keys that were met in bodies, in the order in which they follow each other.
///
/// Bodies are mostly lists of objects with the same keys, and a service sends the same kinds of bodies again. Each node stands
/// for a key after all keys before it, and so for the whole sequence of keys up to it: an object is a path from a root. There is
/// a root for the values of bodies and one for the values of each node. A node has a copy of its key, with all that stood between
/// the value before it and its own value: the comma, the quotes, the colon and the white space. Where the same bytes stand again,
/// it is the same key, and they need not be scanned. A body that has other white space there gives it a new copy.
///
/// Objects that leave out some keys, or have them in another order, have paths of their own, so each of them is
/// recognized, too.
///
/// The next body is read with the same tree, if that is small and has learnt all objects of this body. Otherwise it probably
/// has the keys of dictionaries, which seldom come again.
struct JSONKeyTree {
    /// A node; one without a key is a root.
    struct Node {
        /// The bytes between the value before the key and its own value: the offset of their copy, and their number.
        var start: UInt32 = 0
        var length: UInt32 = 0
        /// The number of these bytes before the first byte of the key.
        var lead: UInt32 = 0
        /// The upper half of the key's token.
        var token: UInt32 = 0
        /// The first key that may follow; 0 if none was met. The first node is a root, and follows nothing.
        var child: Int32 = 0
        /// Another key that may stand here; 0 if there is none.
        var sibling: Int32 = 0
        /// The root of the values of this key; 0 if none was met.
        var values: Int32 = 0
        /// The shape of objects that end here; 0 if none was met.
        var shape: UInt32 = 0
        /// The first sixteen bytes of the text, followed by zeros if there are fewer.
        var text = SIMD2<UInt64>()
        /// The bits of `text` that stand for a byte.
        var mask = SIMD2<UInt64>()
    }

    /// The number of a node that does not exist.
    static var none: Int { -1 }
    /// With more nodes, or more keys in one place, the objects are probably dictionaries, whose keys seldom come again.
    private static let maximumCount = 65_536
    private static let maximumSiblings = 8
    /// With more nodes, a tree is not kept for the next body.
    private static let maximumKeptCount = 4_096

    private(set) var nodes: UnsafeMutablePointer<Node>
    private var count = 1
    private var capacity = 16
    private let rest: UnsafeMutablePointer<Rest>

    /// The parts that are seldom used. They are behind a pointer, as a scanner with more properties takes more time for each key.
    private struct Rest {
        var texts = JSONKeyTexts()
        var shapeCount: UInt32 = 0
        var hasAllObjects = true
    }

    init() {
        nodes = .allocate(capacity: capacity)
        nodes.initialize(to: Node())
        rest = .allocate(capacity: 1)
        rest.initialize(to: Rest())
    }

    func deallocate() {
        nodes.deallocate()
        rest.pointee.texts.deallocate()
        rest.deallocate()
    }

    /// Begins another body.
    func begin() { rest.pointee.texts.begin() }

    /// The number of shapes of the objects in all bodies that were read with this tree.
    var shapeCount: UInt32 {
        get { rest.pointee.shapeCount }
        nonmutating set { rest.pointee.shapeCount = newValue }
    }

    /// Notes that an object has no path in the tree: it has too many keys, or a place has.
    func missObject() { rest.pointee.hasAllObjects = false }

    /// True if the tree should be kept for the next body.
    var isWorthKeeping: Bool {
        rest.pointee.hasAllObjects && count <= Self.maximumKeptCount && rest.pointee.texts.isSmall
    }

    /// The node of the key after `node` whose bytes, with all around them, stand at an offset; ``none`` if there is none.
    @inline(__always)
    func next(after node: Int, at p: Int, _ bytes: UnsafePointer<UInt8>, end: Int) -> Int {
        // All nodes are compared in the same two words. The last keys of a body may have fewer bytes behind them, and are scanned.
        if node == Self.none || p &+ 16 > end { return Self.none }
        let text = SIMD2(SWAR.load(bytes, p), SWAR.load(bytes, p &+ 8))
        var next = Int(nodes[node].child)
        while next != 0 {
            let difference = (text ^ nodes[next].text) & nodes[next].mask
            if difference[0] | difference[1] == 0 {
                let length = Int(nodes[next].length)
                if length <= 16 { return next }
                let start = rest.pointee.texts.bytes + Int(nodes[next].start)
                if p &+ length <= end, Self.haveSameRest(start, bytes + p, length) { return next }
            }
            next = Int(nodes[next].sibling)
        }
        return Self.none
    }

    /// Returns whether two texts of more than sixteen bytes are equal, if the first sixteen of them are.
    @inline(never)
    private static func haveSameRest(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        SWAR.areEqual(a + 16, b + 16, count: length &- 16)
    }

    /// Returns the node of a key that was scanned after `node`, and adds it if it is new; ``none`` if there are too many.
    ///
    /// - Parameters:
    ///   - start: The end of the value before the key.
    ///   - value: The beginning of the key's own value.
    @inline(never)
    mutating func add(
        _ key: JSONToken, after node: Int, from start: Int, to value: Int, _ bytes: UnsafePointer<UInt8>
    ) -> Int {
        if node == Self.none { return Self.none }
        var (last, siblings) = (0, 0)
        var next = Int(nodes[node].child)
        while next != 0 {
            let other = nodes[next]
            if UInt64(other.token) == key.word &>> 32,
                SWAR.areEqual(
                    rest.pointee.texts.bytes + Int(other.start &+ other.lead), bytes + key.offset, count: key.payload)
            {
                // Another body may have had other white space around its keys.
                if rest.pointee.texts.isOld(other.start) { learn(next, key, from: start, to: value, bytes) }
                return next
            }
            (last, next, siblings) = (next, Int(other.sibling), siblings &+ 1)
        }
        guard siblings < Self.maximumSiblings, let new = append() else { return Self.none }
        learn(new, key, from: start, to: value, bytes)
        if last == 0 { nodes[node].child = Int32(new) } else { nodes[last].sibling = Int32(new) }
        return new
    }

    /// Returns up to sixteen bytes, followed by zeros, and the bits that stand for them.
    private static func firstBytes(
        _ bytes: UnsafePointer<UInt8>, count: Int
    ) -> (text: SIMD2<UInt64>, mask: SIMD2<UInt64>) {
        if count < 8 {
            return (SIMD2(SWAR.loadShort(bytes, count: count), 0), SIMD2(~(.max &<< UInt64(8 &* count)), 0))
        }
        if count == 8 { return (SIMD2(SWAR.load(bytes, 0), 0), SIMD2(.max, 0)) }
        // The last eight bytes overlap the first ones, from which they are shifted away.
        let count = min(count, 16)
        let overlap = UInt64(8 &* (16 &- count))
        return (SIMD2(SWAR.load(bytes, 0), SWAR.load(bytes, count &- 8) &>> overlap), SIMD2(.max, .max &>> overlap))
    }

    /// Returns a root that follows no node; ``none`` if there are too many nodes.
    @inline(never)
    mutating func newRoot() -> Int { append() ?? Self.none }

    /// Returns the root of the values of a node; ``none`` if there are too many nodes.
    @inline(__always)
    mutating func root(ofValuesOf node: Int) -> Int {
        if node == Self.none { return Self.none }
        let root = Int(nodes[node].values)
        return root != 0 ? root : addRoot(node)
    }

    @inline(never)
    private mutating func addRoot(_ node: Int) -> Int {
        guard let root = append() else { return Self.none }
        nodes[node].values = Int32(root)
        return root
    }

    /// Makes a node recognize a key by its text.
    private func learn(
        _ node: Int, _ key: JSONToken, from start: Int, to value: Int, _ bytes: UnsafePointer<UInt8>
    ) {
        let (text, length) = (bytes + start, value - start)
        let known = nodes[node]
        if known.length == length, SWAR.areEqual(rest.pointee.texts.bytes + Int(known.start), text, count: length) {
            return
        }
        nodes[node].start = rest.pointee.texts.append(text, count: length)
        nodes[node].length = UInt32(truncatingIfNeeded: length)
        nodes[node].lead = UInt32(truncatingIfNeeded: key.offset - start)
        nodes[node].token = UInt32(truncatingIfNeeded: key.word &>> 32)
        (nodes[node].text, nodes[node].mask) = Self.firstBytes(text, count: length)
    }

    private mutating func append() -> Int? {
        guard count < Self.maximumCount else { return nil }
        if count == capacity {
            let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 4)
            larger.moveInitialize(from: nodes, count: count)
            nodes.deallocate()
            (nodes, capacity) = (larger, capacity * 4)
        }
        (nodes + count).initialize(to: Node())
        count += 1
        return count - 1
    }
}
