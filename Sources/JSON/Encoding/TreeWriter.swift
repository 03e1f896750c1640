import Foundation

/// Writes a tree as text.
struct TreeWriter: ~Copyable {
    /// The greatest depth of nesting; that of `JSONEncoder`.
    private static let maximumDepth = 511

    private let tree: EncodedTree
    private let format: EncodingSettings.Format
    private var output: ByteBuffer

    private init(_ tree: EncodedTree, _ format: EncodingSettings.Format) {
        (self.tree, self.format) = (tree, format)
        output = ByteBuffer(capacity: tree.bytes.count + tree.bytes.count / 4 + 64)
    }

    /// The text; `nil` if it is nested too deep.
    static func data(_ tree: EncodedTree, _ format: EncodingSettings.Format) -> Data? {
        var writer = TreeWriter(tree, format)
        guard writer.write(EncodedTree.root, depth: 0) else { return nil }
        return writer.output.data()
    }

    private mutating func write(_ number: Int, depth: Int) -> Bool {
        let node = tree[number]
        switch node.kind {
        case .text: copy(node.text)
        case .removed: break
        case .array: return writeArray(node, depth: depth + 1)
        case .object, .nothing: return writeObject(node, depth: depth + 1)
        }
        return true
    }

    @inline(__always)
    private mutating func copy(_ range: Range<Int>) {
        tree.bytes.withBytes(range) { output.append(contentsOf: $0) }
    }

    // MARK: - Containers

    private mutating func writeArray(_ array: EncodedTree.Node, depth: Int) -> Bool {
        guard depth <= Self.maximumDepth else { return false }
        output.append(UInt8(ascii: "["))
        var (child, isFirst) = (Int(array.first), true)
        while child != 0 {
            let node = tree[child]
            if node.kind != .removed {
                begin(isFirst: isFirst, depth: depth)
                isFirst = false
                guard write(child, depth: depth) else { return false }
            }
            child = Int(node.next)
        }
        // JSONEncoder writes two line breaks in an empty array.
        if format.isPretty, isFirst { output.append(UInt8(ascii: "\n")) }
        end(depth: depth)
        output.append(UInt8(ascii: "]"))
        return true
    }

    private mutating func writeObject(_ object: EncodedTree.Node, depth: Int) -> Bool {
        guard depth <= Self.maximumDepth else { return false }
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        if let members = tree.reorderedMembers(of: object, sorted: format.sortsKeys) {
            for member in members {
                guard write(key: member.key, value: member.value, isFirst: isFirst, depth: depth) else { return false }
                isFirst = false
            }
        } else {
            var child = Int(object.first)
            while child != 0 {
                if tree[child].kind != .removed {
                    guard write(key: child, value: child, isFirst: isFirst, depth: depth) else { return false }
                    isFirst = false
                }
                child = Int(tree[child].next)
            }
        }
        if format.isPretty, isFirst { output.append(UInt8(ascii: "\n")) }
        end(depth: depth)
        output.append(UInt8(ascii: "}"))
        return true
    }

    @inline(__always)
    private mutating func write(key: Int, value: Int, isFirst: Bool, depth: Int) -> Bool {
        begin(isFirst: isFirst, depth: depth)
        copy(tree[key].key)
        if format.isPretty { output.append(" : ") } else { output.append(UInt8(ascii: ":")) }
        return write(value, depth: depth)
    }

    @inline(__always)
    private mutating func begin(isFirst: Bool, depth: Int) {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        if format.isPretty { breakLine(depth) }
    }

    @inline(__always)
    private mutating func end(depth: Int) {
        if format.isPretty { breakLine(depth - 1) }
    }

    private mutating func breakLine(_ depth: Int) {
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { output.append("  ") }
    }
}
