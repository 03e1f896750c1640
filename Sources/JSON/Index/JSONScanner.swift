/// Reads a body once, by the grammar of RFC 8259, and writes its index.
///
/// It keeps its stack in the words of the open containers, so that deep nesting does not overflow the thread's stack.
///
/// Bodies are mostly lists of objects with the same keys, so most keys are recognized by their ``JSONKeyTree`` without
/// being scanned. An object whose path in the tree ended an object before has the shape of that object, and so is known
/// to have no key twice.
struct JSONScanner {
    /// The greatest depth of nesting; that of `JSONDecoder`.
    static let maximumDepth = 512

    let bytes: UnsafePointer<UInt8>
    let end: Int
    var tape: JSONTape
    private(set) var keys: JSONKeyTree
    private var shapes: JSONShapes

    /// The innermost open container.
    private struct Frame {
        /// The position of its first word.
        var token = 0
        var isObject = false
        var count = 0
        /// The node of an object's last key; in an array, and before the first key, the root of its place.
        var node = 0
    }

    /// From this number of keys on, those of the outermost object get no nodes.
    private static let wideObject = 64

    /// The caller owns the memory of the tape and of the keys, which is another afterwards if they have grown, also after a fault.
    init(_ bytes: UnsafePointer<UInt8>, count: Int, _ tape: JSONTape, _ keys: JSONKeyTree) {
        self.bytes = bytes
        end = count
        self.tape = tape
        self.keys = keys
        keys.begin()
        shapes = JSONShapes(after: keys.shapeCount)
    }

    /// Writes the index of the whole body.
    mutating func scan() throws(JSONFault) {
        defer { keys.shapeCount = shapes.total }
        try checkEncoding()
        var depth = 0
        var frame = Frame()
        var p = skipSpace(0)
        if p == end { throw JSONFault("The body is empty.") }
        value: while true {
            guard p < end else { throw endFault(isObject: frame.isObject) }
            let byte = bytes[p]
            switch byte {
            case UInt8(ascii: "\""):
                p = try scanString(from: p &+ 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth == Self.maximumDepth {
                    throw JSONFault(
                        "Arrays and objects are nested deeper than \(Self.maximumDepth) levels.", at: p)
                }
                open(isObject: byte == UInt8(ascii: "{"), at: p, isOutermost: depth == 0, &frame)
                depth &+= 1
                p &+= 1
                if frame.isObject {
                    if let value = takeKnownKey(at: p, &frame) {
                        p = value
                        continue value
                    }
                    let start = p
                    p = skipSpace(p)
                    guard p < end else { throw endFault(isObject: true) }
                    if bytes[p] != UInt8(ascii: "}") {
                        p = try scanKey(at: p, after: start, &frame)
                        continue value
                    }
                } else {
                    p = skipSpace(p)
                    guard p < end else { throw endFault(isObject: false) }
                    if bytes[p] != UInt8(ascii: "]") { continue value }
                }
                p &+= 1
                depth &-= 1
                try close(&frame, isOutermost: depth == 0)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                p = try scanNumber(at: p)
            default:
                p = try scanLiteral(byte, at: p)
            }
            // After a value: a comma and the next one, or the end of its container, which is a value itself.
            while true {
                guard depth > 0 else {
                    p = skipSpace(p)
                    if p == end { return }
                    throw JSONFault("Something follows after the end of the JSON value.", at: p)
                }
                frame.count &+= 1
                if frame.isObject, let value = takeKnownKey(at: p, &frame) {
                    p = value
                    continue value
                }
                let start = p
                p = skipSpace(p)
                guard p < end else { throw endFault(isObject: frame.isObject) }
                let byte = bytes[p]
                if byte == UInt8(ascii: ",") {
                    p = skipSpace(p &+ 1)
                    if frame.isObject { p = try scanKey(at: p, after: start, &frame) }
                    continue value
                }
                guard byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw unexpected("a comma or the end of the \(frame.isObject ? "object" : "array")", at: p)
                }
                p &+= 1
                depth &-= 1
                try close(&frame, isOutermost: depth == 0)
            }
        }
    }

    private func checkEncoding() throws(JSONFault) {
        guard end < JSONToken.payloadLimit - 2 * Self.maximumDepth else {
            throw JSONFault("The body is larger than 256 MB.")
        }
        let start = UnsafeBufferPointer(start: bytes, count: min(end, 4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw JSONFault("The body begins with a byte order mark, which JSON does not allow.")
        }
        if start.contains(0) || start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            throw JSONFault("The body is not UTF-8 (it looks like UTF-16 or UTF-32).")
        }
    }

    // MARK: - Containers

    // While a container is open, the payload of its first word is the position of the container around it, and its second
    // word holds the rest of its frame while one in it is open.

    @inline(__always)
    private mutating func open(isObject: Bool, at p: Int, isOutermost: Bool, _ frame: inout Frame) {
        let parent = frame
        // Where the outermost object has very many keys, the same keys can still come again within each of its values.
        let node =
            if !parent.isObject {
                parent.node
            } else if parent.token == 0, parent.node == JSONKeyTree.none {
                keys.newRoot()
            } else {
                keys.root(ofValuesOf: parent.node)
            }
        frame = Frame(token: tape.count, isObject: isObject, node: node)
        if !isOutermost {
            tape.words[parent.token &+ 1] =
                UInt64(UInt32(truncatingIfNeeded: parent.node)) &<< 32
                | UInt64(UInt32(truncatingIfNeeded: parent.count))
        }
        tape.appendContainer(JSONToken(isObject ? .object : .array, payload: parent.token, offset: p))
    }

    @inline(__always)
    private mutating func close(_ frame: inout Frame, isOutermost: Bool) throws(JSONFault) {
        var shape: UInt32 = 0
        if frame.isObject {
            if frame.node != JSONKeyTree.none {
                shape = keys.nodes[frame.node].shape
            } else {
                keys.missObject()
            }
            if shape == 0 {
                shape = try shapes.shape(ofObjectAt: frame.token, count: frame.count, tape: tape, bytes: bytes)
                if frame.node != JSONKeyTree.none { keys.nodes[frame.node].shape = shape }
            }
        }
        let parent = tape[frame.token].payload
        tape.endContainer(at: frame.token, members: frame.count, shape: shape)
        if isOutermost { return }
        let rest = tape.words[parent &+ 1]
        frame = Frame(
            token: parent, isObject: tape[parent].kind == .object, count: Int(truncatingIfNeeded: rest & 0xFFFF_FFFF),
            node: Int(Int32(truncatingIfNeeded: rest &>> 32)))
    }

    /// Takes what stands between two values, or before the first one, if it holds a key that stood in this place before
    /// in the same form; returns the offset of the key's value.
    @inline(__always)
    private mutating func takeKnownKey(at start: Int, _ frame: inout Frame) -> Int? {
        let next = keys.next(after: frame.node, at: start, bytes, end: end)
        if next == JSONKeyTree.none { return nil }
        let node = keys.nodes[next]
        frame.node = next
        tape.append(
            JSONToken(word: UInt64(node.token) &<< 32 | UInt64(truncatingIfNeeded: start &+ Int(node.lead))))
        return skipSpace(start &+ Int(node.length))
    }

    /// Reads a key and its colon; returns the offset of the value.
    ///
    /// - Parameter start: The end of the value before the key.
    private mutating func scanKey(at p: Int, after start: Int, _ frame: inout Frame) throws(JSONFault) -> Int {
        guard p < end else { throw endFault(isObject: true) }
        guard bytes[p] == UInt8(ascii: "\"") else { throw unexpected("a key in quotes", at: p) }
        let key = tape.count
        var value = skipSpace(try scanString(from: p &+ 1))
        guard value < end else { throw endFault(isObject: true) }
        guard bytes[value] == UInt8(ascii: ":") else { throw unexpected("a colon", at: value) }
        value = skipSpace(value &+ 1)
        // Where the outermost object has very many keys, it is probably a dictionary.
        let isKept = frame.token != 0 || frame.count < Self.wideObject
        frame.node = isKept ? keys.add(tape[key], after: frame.node, from: start, to: value, bytes) : JSONKeyTree.none
        return value
    }

    // MARK: - White space

    @inline(__always)
    private func skipSpace(_ start: Int) -> Int {
        var p = start
        // Compact bodies have no white space, so this is mostly one comparison.
        while p < end, bytes[p] <= 0x20 {
            let byte = bytes[p]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            p &+= 1
            // Indented ones have many spaces, or many tabs.
            while p &+ 8 <= end {
                let others = SWAR.load(bytes, p) ^ SWAR.every(bytes[p] == 0x09 ? 0x09 : 0x20)
                p &+= others.trailingZeroBitCount &>> 3
                if others != 0 { break }
            }
        }
        return p
    }
}
