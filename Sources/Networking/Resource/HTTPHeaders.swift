/// Header fields in the order in which they were set. Names are compared without regard to case, and each has one
/// value.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: String)] = []

    /// Makes an empty collection.
    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Makes a collection of names and values.
    public init(_ dictionary: [String: String]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { self[name] = value }
    }

    init(_ fields: [(name: String, value: String)]) {
        for (name, value) in fields { self[name] = value }
    }

    /// The number of bytes that the fields take.
    var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The field's value, whatever the case of its name; `nil` removes it.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// Returns these fields merged with those of `other`, which replace fields of the same name.
    public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
        other.reduce(into: self) { $0[$1.name] = $1.value }
    }

    private func index(of name: String) -> Int? {
        fields.firstIndex { isSameName($0.name, name) }
    }

    /// Compares two names without making lower-case copies, since a head has many fields. Names are ASCII.
    private func isSameName(_ a: String, _ b: String) -> Bool {
        let (a, b) = (a.utf8, b.utf8)
        // Names of the same length mostly differ in their last byte.
        guard a.count == b.count, a.last.map({ $0 | 0x20 }) == b.last.map({ $0 | 0x20 }) else { return false }
        return zip(a, b).allSatisfy { a, b in
            a == b || (a | 0x20 == b | 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= a | 0x20)
        }
    }
}

extension HTTPHeaders: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> (name: String, value: String) { fields[position] }
}

extension HTTPHeaders: Hashable {
    /// Equal if the same names, in any case, have the same values, in any order.
    public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool { a.lowercased == b.lowercased }
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    private var lowercased: [String: String] {
        Dictionary(fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension HTTPHeaders: CustomStringConvertible {
    public var description: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}

/// Reflected as a dictionary, so that equal fields look alike, and logs and recordings know each value's name.
extension HTTPHeaders: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: lowercased.map { (key: $0.key, value: $0.value) }, displayStyle: .dictionary)
    }
}
