import Foundation

/// The encoder of one value, which is one node of the tree.
///
/// As in ``ValueDecoder``, a child is reused for the next value, unless a type has kept it.
final class ValueEncoder {
    let context: EncodingContext
    private(set) var node: Int
    private var parent: ValueEncoder?
    private var key: (any CodingKey)?
    private var child: ValueEncoder?

    init(_ context: EncodingContext, node: Int, parent: ValueEncoder? = nil, key: (any CodingKey)? = nil) {
        self.context = context
        self.node = node
        self.parent = parent
        self.key = key
    }

    @inline(__always) var tree: EncodedTree { context.tree }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var encoder = self
        while let parent = encoder.parent {
            if let key = encoder.key { path.append(key) }
            encoder = parent
        }
        return path.reversed()
    }

    /// Encodes a value of this encoder's container with a child encoder.
    @inline(__always)
    private func withChild(node: Int, key: any CodingKey, _ encode: (ValueEncoder) throws -> Void) rethrows {
        var encoder: ValueEncoder
        if let free = child {
            encoder = free
            child = nil
            encoder.node = node
            encoder.key = key
        } else {
            encoder = ValueEncoder(context, node: node, key: key)
        }
        encoder.parent = self
        defer {
            if isKnownUniquelyReferenced(&encoder) {
                encoder.parent = nil
                child = encoder
            }
        }
        try encode(encoder)
    }

    /// Makes a child that its user may keep.
    func makeChild(node: Int, key: any CodingKey) -> ValueEncoder {
        ValueEncoder(context, node: node, parent: self, key: key)
    }

    // MARK: - Values of any type

    /// Encodes a value as a new node of a container; if that fails, the node is removed.
    @inline(__always)
    func encode<Value: Encodable>(_ value: Value, as node: Int, in container: Int, key: some CodingKey) throws {
        do {
            let handling = context.handling(of: Value.self)
            if case .byType = handling {
                try withChild(node: node, key: key) { try value.encode(to: $0) }
            } else {
                try encode(value, handling, as: node, key: key)
            }
        } catch {
            tree.remove(node, from: container)
            throw error
        }
    }

    /// Encodes a value into this encoder's own node.
    func encodeOwn<Value: Encodable>(_ value: Value) throws {
        let handling = context.handling(of: Value.self)
        if case .byType = handling { return try value.encode(to: self) }
        try encode(value, handling, as: node, key: nil)
    }

    @inline(never)
    private func encode<Value: Encodable>(
        _ value: Value, _ handling: TypeHandling, as node: Int, key: (any CodingKey)?
    ) throws {
        switch (handling, value) {
        case (.date, let date as Date): try encode(date, as: node, key: key)
        case (.data, let data as Data): try encode(data, as: node, key: key)
        case (.url, let url as URL): writeString(url.absoluteString, as: node)
        case (.decimal, let decimal as Decimal):
            guard decimal.isFinite else { throw unrepresentable(decimal, at: key.map { [$0] } ?? []) }
            writeText(decimal.description, as: node)
        case (.strings, let strings as [String]):
            writeArray(strings, as: node) { string, _ in
                _ = tree.bytes.appendString(string, escapesSlashes: context.settings.format.escapesSlashes)
            }
        case (.integers, let integers as [Int]):
            writeArray(integers, as: node) { integer, _ in tree.bytes.appendInteger(integer) }
        case (.doubles, let doubles as [Double]):
            try writeArray(doubles, as: node) { double, number in
                try appendFloat(double) { (key.map { [$0] } ?? []) + [ElementKey(number)] }
            }
        case (.dictionary, let dictionary as any EncodableStringDictionary):
            try withEncoder(of: node, key: key) { try dictionary.encode(with: $0) }
        default: try withEncoder(of: node, key: key) { try value.encode(to: $0) }
        }
    }

    private func withEncoder(of node: Int, key: (any CodingKey)?, _ encode: (ValueEncoder) throws -> Void) rethrows {
        if let key { try withChild(node: node, key: key, encode) } else { try encode(self) }
    }

    private func encode(_ date: Date, as node: Int, key: (any CodingKey)?) throws {
        switch context.settings.dates {
        case .deferred: try writeFloat(date.timeIntervalSinceReferenceDate, as: node, key: key)
        case .secondsSince1970: try writeFinite(date.timeIntervalSince1970, as: node, key: key)
        case .millisecondsSince1970: try writeFinite(1_000 * date.timeIntervalSince1970, as: node, key: key)
        case .iso8601: writeString(date.formatted(.iso8601), as: node)
        case .custom(let encode):
            try withEncoder(of: node, key: key) { try encode(date, $0) }
            tree.fill(node)
        }
    }

    private func encode(_ data: Data, as node: Int, key: (any CodingKey)?) throws {
        switch context.settings.bytes {
        case .deferred: try withEncoder(of: node, key: key) { try data.encode(to: $0) }
        case .base64: writeString(data.base64EncodedString(), as: node)
        case .custom(let encode):
            try withEncoder(of: node, key: key) { try encode(data, $0) }
            tree.fill(node)
        }
    }

    /// Writes an array whose elements need no encoder of their own.
    private func writeArray<Element>(
        _ elements: [Element], as node: Int, _ write: (Element, Int) throws -> Void
    ) rethrows {
        // In the pretty format each element is a node, since the writer adds line breaks and indentation.
        guard !context.settings.format.isPretty, !elements.isEmpty else {
            tree.open(node, as: .array)
            for (number, element) in elements.enumerated() {
                let start = tree.bytes.count
                try write(element, number)
                tree.setText(of: tree.append(to: node), from: start)
            }
            return
        }
        let start = tree.bytes.count
        tree.bytes.append(UInt8(ascii: "["))
        for (number, element) in elements.enumerated() {
            if number > 0 { tree.bytes.append(UInt8(ascii: ",")) }
            try write(element, number)
        }
        tree.bytes.append(UInt8(ascii: "]"))
        tree.setText(of: node, from: start)
    }

    // MARK: - Single values

    @inline(__always)
    func writeNil(as node: Int) {
        let start = tree.bytes.count
        tree.bytes.append("null")
        tree.setText(of: node, from: start)
    }

    @inline(__always)
    func write(_ value: Bool, as node: Int) {
        let start = tree.bytes.count
        tree.bytes.append(value ? "true" : "false")
        tree.setText(of: node, from: start)
    }

    @inline(__always)
    func write(_ value: some FixedWidthInteger, as node: Int) {
        let start = tree.bytes.count
        tree.bytes.appendInteger(value)
        tree.setText(of: node, from: start)
    }

    func writeString(_ value: String, as node: Int) {
        let start = tree.bytes.count
        _ = tree.bytes.appendString(value, escapesSlashes: context.settings.format.escapesSlashes)
        tree.setText(of: node, from: start)
    }

    private func writeText(_ text: String, as node: Int) {
        let start = tree.bytes.count
        tree.bytes.append(contentsOf: Array(text.utf8))
        tree.setText(of: node, from: start)
    }

    func writeFloat<Value: BinaryFloatingPoint & CustomStringConvertible>(
        _ value: Value, as node: Int, key: @autoclosure () -> (any CodingKey)?
    ) throws {
        let start = tree.bytes.count
        try appendFloat(value) { key().map { [$0] } ?? [] }
        tree.setText(of: node, from: start)
    }

    /// Writes a date's number; throws if it is not finite, since the names for infinity and NaN do not apply to dates.
    private func writeFinite(_ value: Double, as node: Int, key: (any CodingKey)?) throws {
        guard value.isFinite else { throw unrepresentable(value, at: key.map { [$0] } ?? []) }
        try writeFloat(value, as: node, key: key)
    }

    private func appendFloat<Value: BinaryFloatingPoint & CustomStringConvertible>(
        _ value: Value, path: () -> [any CodingKey]
    ) throws {
        if value.isFinite { return tree.bytes.appendFloat(value) }
        guard let names = context.settings.floats else { throw unrepresentable(value, at: path()) }
        let name = value.isNaN ? names.nan : value > 0 ? names.infinity : names.negativeInfinity
        _ = tree.bytes.appendString(name, escapesSlashes: context.settings.format.escapesSlashes)
    }

    private func unrepresentable<Value>(_ value: Value, at path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value,
            .init(
                codingPath: codingPath + path,
                debugDescription: "Unable to encode \(Value.self).\(value) directly in JSON."))
    }
}

// MARK: - Encoder

extension ValueEncoder: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { context.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        tree.open(node, as: .object)
        return KeyedEncodingContainer(KeyedNodes<Key>(self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        tree.open(node, as: .array)
        return UnkeyedNodes(self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}
