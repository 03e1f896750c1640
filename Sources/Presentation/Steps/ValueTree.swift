import Foundation

/// A value taken apart: its parts by name, down to texts and numbers.
///
/// Equal values have equal trees in every run of a program: sets and dictionaries are in the order of their
/// descriptions, and objects are described by their type only.
public struct ValueTree: Equatable, Sendable {
    /// The name of the part in the whole; empty for the whole.
    public let label: String
    /// The value itself, or its type, its case or its number of elements if it has parts.
    public let text: String
    /// The parts of the value, in their order.
    public let children: [ValueTree]

    /// Takes a value apart.
    ///
    /// - Parameters:
    ///   - label: The name of the value.
    ///   - elements: The most elements of a collection to describe. For the rest, only their number is given.
    public init(_ value: Any, label: String = "", elements: Int = .max) {
        self.init(value, label: label, depth: 0, elements: max(0, elements))
    }

    init(label: String, text: String, children: [ValueTree] = []) {
        self.label = label
        self.text = text
        self.children = children
    }

    /// Values that are nested deeper are described by their type.
    private static let maximumDepth = 64

    private init(_ value: Any, label: String, depth: Int, elements: Int) {
        if let text = Self.leaf(value) {
            self.init(label: label, text: text)
            return
        }
        let mirror = Mirror(reflecting: value)
        guard depth < Self.maximumDepth else {
            self.init(label: label, text: "\(type(of: value))")
            return
        }
        switch mirror.displayStyle {
        case .optional:
            if let some = mirror.children.first {
                self.init(some.value, label: label, depth: depth, elements: elements)
            } else {
                self.init(label: label, text: "nil")
            }
        case .enum:
            guard let payload = mirror.children.first else {
                self.init(label: label, text: "." + Self.description(of: value))
                return
            }
            let parts = Mirror(reflecting: payload.value)
            let children =
                parts.displayStyle == .tuple
                ? Self.parts(of: parts, depth: depth, elements: elements)
                : [Self(payload.value, label: "0", depth: depth + 1, elements: elements)]
            self.init(label: label, text: ".\(payload.label ?? "")", children: children)
        case .collection:
            let children = mirror.children.prefix(elements).enumerated().map { index, child in
                Self(child.value, label: "\(index)", depth: depth + 1, elements: elements)
            }
            self.init(
                label: label, text: "[\(mirror.children.count)]",
                children: children + Self.rest(mirror.children.count - elements))
        case .set:
            let parts = mirror.children.map { Self($0.value, label: "", depth: depth + 1, elements: elements) }
            let children = parts.sorted { $0.line < $1.line }.prefix(elements).enumerated()
                .map { Self(label: "\($0)", text: $1.text, children: $1.children) }
            self.init(
                label: label, text: "{\(parts.count)}", children: children + Self.rest(parts.count - elements))
        case .dictionary:
            let entries = mirror.children.compactMap { Self.entry($0.value, depth: depth) }.sorted { $0.0 < $1.0 }
            let children = entries.prefix(elements).map { key, value in
                Self(value, label: key, depth: depth + 1, elements: elements)
            }
            self.init(
                label: label, text: "[\(entries.count):]", children: children + Self.rest(entries.count - elements))
        case .class, .foreignReference:
            self.init(label: label, text: "\(type(of: value))")
        case .tuple:
            self.init(label: label, text: "()", children: Self.parts(of: mirror, depth: depth, elements: elements))
        case .struct where !mirror.children.isEmpty:
            self.init(
                label: label, text: "\(type(of: value))",
                children: Self.parts(of: mirror, depth: depth, elements: elements))
        default:
            self.init(
                label: label, text: mirror.children.isEmpty ? Self.description(of: value) : "\(type(of: value))")
        }
    }

    private static func parts(of mirror: Mirror, depth: Int, elements: Int) -> [ValueTree] {
        mirror.children.enumerated().map { index, child in
            // A property wrapper has the name of its property after an underscore. Parts without names are called by
            // their places.
            let name = child.label.map { String($0.drop { $0 == "_" || $0 == "." }) } ?? "\(index)"
            return Self(child.value, label: name, depth: depth + 1, elements: elements)
        }
    }

    private static func entry(_ entry: Any, depth: Int) -> (key: String, value: Any)? {
        let pair = Mirror(reflecting: entry).children.map(\.value)
        guard pair.count == 2 else { return nil }
        return (Self(pair[0], label: "", depth: depth + 1, elements: .max).line, pair[1])
    }

    /// The line for elements that are not described.
    private static func rest(_ count: Int) -> [ValueTree] {
        count > 0 ? [Self(label: "…", text: "and \(count) more")] : []
    }

    /// The text of a value that is not taken apart. Optional values have the text of what they hold.
    package static func leaf(_ value: Any) -> String? {
        switch value {
        case let text as String: text.debugDescription
        case let text as Substring: text.debugDescription
        case let character as Character: character.debugDescription
        case let date as Date: date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
        case let data as Data: "\(data.count) bytes, \(data.fingerprint)"
        case let id as UUID: "\(id)"
        case let url as URL: "\(url)"
        case let number as Decimal: "\(number)"
        case let locale as Locale: "\(locale)"
        case let zone as TimeZone: "\(zone)"
        case let calendar as Calendar: "\(calendar)"
        case let duration as Duration: "\(duration)"
        case let number as any BinaryInteger: "\(number)"
        case let number as any BinaryFloatingPoint: "\(number)"
        case let flag as Bool: "\(flag)"
        default: nil
        }
    }

    /// The description that a value gives itself, on one line.
    static func description(of value: Any) -> String {
        let text = "\(value)"
        guard text.contains(where: \.isNewline) else { return text }
        return text.reduce(into: "") { $0 += $1.isNewline ? "\\n" : String($1) }
    }
}

extension ValueTree {
    /// The value on one line: `.didLoad([City(name: "London")])`.
    public var line: String {
        guard !children.isEmpty else { return text }
        let isList = text.hasPrefix("[") || text.hasPrefix("{")
        let parts = children.map { child in
            isList && !text.hasSuffix(":]") || child.label.allSatisfy(\.isNumber)
                ? child.line : "\(child.label): \(child.line)"
        }
        let list = parts.joined(separator: ", ")
        if isList { return "[\(list)]" }
        return text == "()" ? "(\(list))" : "\(text)(\(list))"
    }
}

extension Data {
    /// FNV-1a: the same on every run.
    fileprivate var fingerprint: String {
        String(reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }
}
