extension LocalBackend {
    /// Header fields, in the order and spelling of the wire; names are compared without regard to case.
    ///
    ///     var headers: LocalBackend.Headers = ["ETag": "\"1\""]
    ///     headers["etag"]                          // "\"1\""
    ///     headers.add("Set-Cookie", "a=1")         // a second field of a name that is there already
    public struct Headers: Sendable, Equatable, ExpressibleByDictionaryLiteral {
        /// One line of a header.
        public struct Field: Sendable, Equatable {
            /// The name, as it was written.
            public let name: String
            /// The value, without space around it.
            public let value: String

            public static func == (a: Field, b: Field) -> Bool { a.value == b.value && isSameName(a.name, b.name) }
        }

        /// The fields, in order.
        public private(set) var fields: [Field]

        public init(dictionaryLiteral elements: (String, String)...) {
            fields = elements.map(Field.init)
        }

        /// The value of the first field of this name. Setting it replaces every field of the name; `nil` removes them.
        public subscript(name: String) -> String? {
            get { fields.first { isSameName($0.name, name) }?.value }
            set {
                fields.removeAll { isSameName($0.name, name) }
                if let newValue { add(name, newValue) }
            }
        }

        /// The values of all fields of this name, in order.
        public func values(of name: String) -> [String] {
            fields.filter { isSameName($0.name, name) }.map(\.value)
        }

        /// The members of a comma-separated list that may be spread over several fields, such as `Accept`.
        public func list(_ name: String) -> [String] {
            values(of: name).flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
                .map { $0.trimmingBlanks() }
        }

        /// Appends a field, and keeps other fields of the same name.
        public mutating func add(_ name: String, _ value: String) {
            add(Field(name: name, value: value))
        }

        mutating func add(_ field: Field) { fields.append(field) }
    }
}

/// Compares ASCII text without regard to case, byte by byte: `lowercased()` would turn the Kelvin sign into a k.
func isSameName(_ a: String, _ b: String) -> Bool {
    let a = a.utf8
    let b = b.utf8
    return a.count == b.count && zip(a, b).allSatisfy { lowercased($0) == lowercased($1) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

extension Substring {
    fileprivate func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
