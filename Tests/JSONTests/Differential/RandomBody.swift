import JSONSamples

/// Random bodies: mostly what a recipe asks for, with mistakes of every kind.
struct RandomBody {
    var dice: Dice
    var snakeCase: Bool

    /// Returns a body for a recipe, sometimes with damaged bytes.
    mutating func body(for recipe: Recipe) -> [UInt8] {
        var bytes = Array(text(for: recipe).utf8)
        guard Damage.isEverywhere || dice.hits(oneIn: 4) else { return bytes }
        Damage.apply(to: &bytes, &dice)
        return bytes
    }

    // MARK: - Values

    private mutating func text(for recipe: Recipe) -> String {
        if dice.hits(oneIn: 24) { return anything() }
        switch recipe {
        case .bool: return dice.hits(oneIn: 2) ? "true" : "false"
        case .int, .int8, .uint16, .int64, .uint64, .int128, .double, .float, .decimal: return dice.jsonNumber()
        case .string: return dice.jsonString()
        case .date:
            return dice.hits(oneIn: 2)
                ? dice.jsonNumber() : dice.jsonString(Self.dates[dice.next(below: Self.dates.count)])
        case .data:
            return dice.jsonString(["", "AA==", "aGVsbG8=", "aGVsbG8", "a GVsbG8=", "\\/\\/8="][dice.next(below: 6)])
        case .url:
            return dice.jsonString(["http:\\/\\/x.org\\/é", "", "a b", "/p?q=%zz", "http://[::1"][dice.next(below: 5)])
        case .strings: return array(of: .string)
        case .integers: return array(of: .int)
        case .doubles: return array(of: .double)
        case .optional(let wrapped): return dice.hits(oneIn: 3) ? "null" : text(for: wrapped)
        case .list(let element): return array(of: element)
        case .dictionary(let element):
            return object((0..<dice.next(below: 5)).map { _ in (key(), text(for: element)) })
        case .object(let fields): return object(fields)
        case .nested(let key, let fields): return object([(wire(key), object(fields))])
        case .inherited(let fields, let under):
            return object(
                fields.map { (wire($0.key), text(for: $0.recipe)) } + [
                    (under.map { wire($0) } ?? "super", object(fields))
                ])
        case .tuple(let elements): return list(elements.map { text(for: $0) } + (dice.hits(oneIn: 4) ? ["1"] : []))
        case .either(let first, let second): return text(for: dice.hits(oneIn: 2) ? first : second)
        case .keys: return object((0..<dice.next(below: 4)).map { _ in (key(), "0") })
        }
    }

    private mutating func array(of element: Recipe) -> String {
        list((0..<dice.next(below: dice.hits(oneIn: 5) ? 20 : 4)).map { _ in text(for: element) })
    }

    private mutating func list(_ elements: [String]) -> String {
        "[\(space())\(elements.joined(separator: ",\(space())"))\(dice.hits(oneIn: 150) ? "," : "")]"
    }

    private mutating func object(_ fields: [Recipe.Field]) -> String {
        var members: [(String, String)] = []
        for field in fields where !(field.isOptional && dice.hits(oneIn: 3)) && !dice.hits(oneIn: 30) {
            members.append((wire(field.key), text(for: field.recipe)))
        }
        if dice.hits(oneIn: 3) { members.insert((key(), anything()), at: dice.next(below: members.count + 1)) }
        if dice.hits(oneIn: 20) {
            for number in 0..<dice.next(below: 80) {
                members.insert(("other\(number)", anything()), at: dice.next(below: members.count + 1))
            }
        }
        if dice.hits(oneIn: 8) { members.shuffle(using: &dice) }
        return object(members)
    }

    /// Returns the text of an object, mostly without duplicate keys.
    private mutating func object(_ members: [(key: String, value: String)]) -> String {
        var names: Set<String> = []
        let keepsTwice = dice.hits(oneIn: 60)
        let written = members.filter { names.insert($0.key).inserted || keepsTwice }.map { member in
            "\(quotedKey(member.key))\(space()):\(space())\(member.value)"
        }
        return "{\(written.joined(separator: ","))\(dice.hits(oneIn: 150) ? "," : "")\(space())}"
    }

    private mutating func anything() -> String {
        switch dice.next(below: 7) {
        case 0: "null"
        case 1: "true"
        case 2: dice.jsonString()
        case 3: "[]"
        case 4: "{}"
        case 5: #"{"a":[1,{"b":"c"}]}"#
        default: dice.jsonNumber()
        }
    }

    private mutating func space() -> String {
        guard dice.hits(oneIn: 8) else { return "" }
        let indentation = "\n" + String(repeating: " ", count: dice.next(below: 24))
        return [" ", "\n", "\t", "\r\n  ", indentation][dice.next(below: 5)]
    }

    private static let dates = [
        "2024-02-29T12:30:45Z", "2023-02-29T12:30:45Z", "1970-01-01T00:00:00Z", "2024-12-31T23:59:60Z",
        "1969-12-31T23:59:59Z",
        "2024-06-30T12:30:45+02:00", "2024-06-30T12:30:45.123Z", "2024-06-30", "x", "2999-12-31T23:59:59Z",
        "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-04-31T24:00:00Z", "20240630T123045Z",
        "2100-02-29T00:00:00Z",
    ]

    // MARK: - Strings

    private mutating func key() -> String { wire(Recipe.names[dice.next(below: Recipe.names.count)]) }

    /// A key as it is sent where keys are in snake case.
    private mutating func wire(_ key: String) -> String {
        guard snakeCase, !dice.hits(oneIn: 6) else { return key }
        switch key {
        case "firstName": return "first_name"
        case "urlId": return "url_id"
        case "aLongerKeyThanFifteenBytes": return "a_longer_key_than_fifteen_bytes"
        default: return key
        }
    }

    private mutating func quotedKey(_ key: String) -> String {
        if dice.hits(oneIn: 80) { return key == "é" ? #""e\u0301""# : key == "K" ? "\"\u{212A}\"" : #""\ud800""# }
        return dice.jsonString(key)
    }
}
