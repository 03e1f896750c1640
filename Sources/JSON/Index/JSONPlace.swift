import Foundation

/// A place in a body: line and column, counted from one as editors show them, and the text around it.
public struct JSONPlace: Hashable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in bytes.
    public var column: Int
    /// Some 60 bytes of text around the place, on one line.
    public var excerpt: String

    /// Makes a place from its parts.
    public init(line: Int, column: Int, excerpt: String) {
        self.line = line
        self.column = column
        self.excerpt = excerpt
    }

    /// The place of the byte at an offset.
    public init(of offset: Int, in body: Data) {
        self = body.withUnsafeBytes { bytes in
            let offset = min(max(offset, 0), bytes.count)
            let before = UnsafeRawBufferPointer(rebasing: bytes[..<offset])
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            return JSONPlace(line: line, column: offset - lineStart + 1, excerpt: Self.excerpt(bytes, around: offset))
        }
    }

    /// The place of the value at a coding path, or of its nearest container that exists.
    ///
    /// Keys of the path match keys of the body as they are or converted to camel case. Returns `nil` if the path is
    /// empty or the body is not JSON.
    public init?(of path: [any CodingKey], in body: Data) {
        guard !path.isEmpty, let offset = try? JSONIndex.read(body, { $0.descendant(at: path).offset }) else {
            return nil
        }
        self.init(of: offset, in: body)
    }

    /// The text around an offset, cut between characters.
    private static func excerpt(_ bytes: UnsafeRawBufferPointer, around offset: Int) -> String {
        var (start, end) = (max(0, offset - 20), min(bytes.count, offset + 40))
        while start < offset, bytes[start] & 0xC0 == 0x80 { start += 1 }
        while end < bytes.count, end > offset, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }
}

extension JSONNode {
    fileprivate func descendant(at path: [any CodingKey]) -> JSONNode {
        var node = self
        for key in path {
            let next =
                if let index = key.intValue, node.kind == .array {
                    node.elements.dropFirst(max(0, index)).first { _ in true }
                } else {
                    node[key.stringValue]
                        ?? node.members.first { SnakeCase.camelCased($0.key) == key.stringValue }?.value
                }
            guard let next else { break }
            node = next
        }
        return node
    }
}
