extension LocalBackend {
    /// The decoded query of a request, in order, with every repetition of a name.
    ///
    /// Names and values are percent-decoded, and `+` stands for a space, as servers commonly read it: a client that
    /// means a plus sign has to send `%2B`.
    public struct Query: Sendable, Equatable {
        /// One `name=value`. The value of a name that stands alone is empty.
        public struct Item: Sendable, Equatable {
            /// The name, decoded.
            public let name: String
            /// The value, decoded.
            public let value: String
        }

        /// All items, in order.
        public let items: [Item]

        /// The first value of a name.
        public subscript(name: String) -> String? { items.first { $0.name == name }?.value }

        /// All values of a name, in order.
        public func values(of name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

        init(_ text: Substring) {
            items = text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
                let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
                return Item(
                    name: percentDecoded(pair[..<equals], plusIsSpace: true),
                    value: percentDecoded(pair[equals...].dropFirst(), plusIsSpace: true))
            }
        }
    }
}

/// Decodes `%XX`. Bytes that are not UTF-8 become U+FFFD. A malformed escape stays as it is; the parser rejects them
/// earlier.
func percentDecoded(_ text: Substring.UTF8View, plusIsSpace: Bool = false) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let value = hexPair(rest) {
            bytes.append(value)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Returns the byte of the first two hexadecimal digits; `nil` if they are not digits.
func hexPair(_ text: some Collection<UInt8>) -> UInt8? {
    var digits = text.prefix(2).makeIterator()
    guard let high = digits.next().flatMap(hexValue), let low = digits.next().flatMap(hexValue) else { return nil }
    return high << 4 | low
}

/// Returns the value of one hexadecimal digit.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
