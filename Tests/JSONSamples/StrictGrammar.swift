import Foundation

/// A plain check of RFC 8259 and of our further refusals, written for clarity. The engine's check is compared with it.
package struct StrictGrammar {
    private struct Refused: Error {}

    private var rest: ArraySlice<UInt8>
    private var depth = 0

    package static func accepts(_ body: [UInt8]) -> Bool {
        guard String(validating: body, as: UTF8.self) != nil, body.count < 4 || !body.prefix(4).contains(0) else {
            return false
        }
        var grammar = StrictGrammar(rest: body[...])
        do {
            try grammar.value()
            return grammar.rest.isEmpty
        } catch {
            return false
        }
    }

    private mutating func value() throws {
        space()
        switch rest.first {
        case UInt8(ascii: "{"):
            try container { grammar in
                var keys: Set<String> = []
                try grammar.items(until: UInt8(ascii: "}")) { grammar in
                    grammar.space()
                    guard let key = try grammar.string(), keys.insert(key).inserted else { throw Refused() }
                    grammar.space()
                    try grammar.take(":")
                    try grammar.value()
                }
            }
        case UInt8(ascii: "["):
            try container { try $0.items(until: UInt8(ascii: "]")) { try $0.value() } }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try take("true")
        case UInt8(ascii: "f"): try take("false")
        case UInt8(ascii: "n"): try take("null")
        default: try number()
        }
        space()
    }

    private mutating func container(_ content: (inout StrictGrammar) throws -> Void) throws {
        rest.removeFirst()
        depth += 1
        if depth > 512 { throw Refused() }
        try content(&self)
        depth -= 1
    }

    private mutating func items(until end: UInt8, _ item: (inout StrictGrammar) throws -> Void) throws {
        space()
        if rest.first == end {
            rest.removeFirst()
            return
        }
        while true {
            try item(&self)
            space()
            guard let next = rest.popFirst() else { throw Refused() }
            if next == end { return }
            guard next == UInt8(ascii: ",") else { throw Refused() }
        }
    }

    /// The string; `nil` if it holds half of a surrogate pair.
    private mutating func string() throws -> String? {
        try take("\"")
        var units: [UInt16] = []
        var bytes: [UInt8] = []
        func flush() { units += String(decoding: bytes, as: UTF8.self).utf16 }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                flush()
                return String(validating: units, as: UTF16.self)
            case 0..<0x20: throw Refused()
            case UInt8(ascii: "\\"):
                flush()
                bytes = []
                guard let escape = rest.popFirst() else { throw Refused() }
                if escape == UInt8(ascii: "u") {
                    let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16)
                    else {
                        throw Refused()
                    }
                    rest.removeFirst(4)
                    units.append(unit)
                } else {
                    let meanings: [Character: UInt16] = [
                        "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
                    ]
                    guard let unit = meanings[Character(UnicodeScalar(escape))] else { throw Refused() }
                    units.append(unit)
                }
            default: bytes.append(byte)
            }
        }
        throw Refused()
    }

    private mutating func number() throws {
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        // No digit follows a zero that begins a number.
        if rest.first == UInt8(ascii: "0") { rest.removeFirst() } else { try digits() }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            try digits()
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            try digits()
        }
    }

    /// One digit or more.
    private mutating func digits() throws {
        let rest = rest.drop { (0x30...0x39).contains($0) }
        guard rest.count < self.rest.count else { throw Refused() }
        self.rest = rest
    }

    private mutating func take(_ text: String) throws {
        guard rest.starts(with: text.utf8) else { throw Refused() }
        rest = rest.dropFirst(text.utf8.count)
    }

    private mutating func space() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } }
}
