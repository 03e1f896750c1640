import JSONSamples

/// Random bodies for a schema: mostly rows of it, with mistakes of every kind.
struct RandomRows {
    var dice: Dice
    let schema: SampleSchema

    /// Returns a list of rows, sometimes with damaged bytes.
    mutating func body() -> [UInt8] {
        var bytes = Array(list().utf8)
        guard Damage.isEverywhere || dice.hits(oneIn: 5) else { return bytes }
        Damage.apply(to: &bytes, &dice)
        return bytes
    }

    private mutating func list() -> String {
        if dice.hits(oneIn: 100) { return anything() }
        var order = Array(schema.names.indices)
        // Servers send the columns of all rows in one order.
        let isMixed = dice.hits(oneIn: 4)
        if dice.hits(oneIn: 3) { order.shuffle(using: &dice) }
        let rows = (0..<dice.next(below: dice.hits(oneIn: 25) ? 80 : 6)).map { _ in
            if isMixed { order.shuffle(using: &dice) }
            return dice.hits(oneIn: 200) ? anything() : row(order)
        }
        return "\(space())[\(space())\(rows.joined(separator: ",\(space())"))\(space())]\(space())"
    }

    private mutating func row(_ order: [Int]) -> String {
        var members: [String] = []
        for column in order {
            let isOptional = "\(schema.types[column])".hasPrefix("Optional")
            if dice.hits(oneIn: isOptional ? 5 : 150) { continue }
            let value = dice.hits(oneIn: 150) ? anything() : schema.types[column].json(&dice)
            members.append("\(key(schema.names[column]))\(space()):\(space())\(value)\(space())")
        }
        if dice.hits(oneIn: 4) {
            let name =
                dice.hits(oneIn: 3) ? "other" : SampleSchema.allNames[dice.next(below: SampleSchema.allNames.count)]
            // A name that is a column's would make most bodies ones with a duplicate.
            if !schema.names.contains(name) || dice.hits(oneIn: 10) {
                members.insert("\(key(name)):\(anything())", at: dice.next(below: members.count + 1))
            }
        }
        return "{\(space())\(members.joined(separator: ","))}"
    }

    private mutating func anything() -> String {
        switch dice.next(below: 9) {
        case 0: "null"
        case 1: "true"
        case 2: dice.jsonString()
        case 3: "[]"
        case 4: "{}"
        case 5: "{\(key(schema.names[1])):[1,{\"b\":\"c\"}]}"
        case 6: "[[{\"a\":{}},null],2]"
        default: dice.jsonNumber()
        }
    }

    /// A key, now and then with an escape that it does not need, or with other characters that mean the same.
    private mutating func key(_ name: String) -> String {
        let name =
            name == "é" && dice.hits(oneIn: 10) ? "e\u{301}" : name == "K" && dice.hits(oneIn: 10) ? "\u{212A}" : name
        let escapesOne = dice.hits(oneIn: 40)
        let scalars = name.unicodeScalars.enumerated().map { number, scalar in
            guard scalar == "\"" || scalar == "\\" || scalar.value < 0x20 || escapesOne && number == 0 else {
                return "\(scalar)"
            }
            return "\(scalar)".utf16.map { unit in
                let digits = String(unit, radix: 16, uppercase: unit % 2 == 0)
                return "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            }.joined()
        }
        return "\"\(scalars.joined())\""
    }

    private mutating func space() -> String {
        dice.hits(oneIn: 30) ? [" ", "\n", "\t", "\r\n  "][dice.next(below: 4)] : ""
    }
}
