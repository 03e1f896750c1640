/// An estimate of the time that a regular expression may take, from its text alone.
///
/// A regular expression is matched by trying one way after the other, which cannot be cancelled. A repetition inside a
/// repetition has exponentially many ways, and each further repetition multiplies their number by the length of the text.
/// Without a limit, one request could keep a core of the server busy for years.
///
/// A pattern counts as slow unless it is known to be fast: groups that look ahead, references to groups and classes inside
/// classes are not.
struct PatternCost {
    /// The greatest cost of a pattern. A repetition costs 4 and a choice or an optional part 1, as it has two ways.
    private static let limit = 10
    /// The greatest cost of all patterns of a request. Each costs at least 1.
    static let limitOfRequest = 24
    /// The greatest number of times in braces.
    private static let greatestNumber = 1_000

    private var pattern: Substring
    private var cost = 0
    private var isKnown: Bool

    /// Returns the cost of a pattern; nil if the number of ways is not bounded by a small power of the text's length.
    static func cost(of pattern: String) -> Int? {
        var cost = PatternCost(pattern: pattern[...])
        _ = cost.readAlternatives(depth: 0)
        return cost.isKnown && cost.cost <= limit ? cost.cost + 1 : nil
    }

    private init(pattern: Substring) {
        self.pattern = pattern.hasPrefix("(?i)") ? pattern.dropFirst(4) : pattern
        // A mark on a character of the syntax makes another character of it.
        isKnown = pattern.allSatisfy {
            $0.unicodeScalars.count == 1 || $0 == "\r\n" || !($0.unicodeScalars.first?.isASCII ?? true)
        }
    }

    /// Reads alternatives up to the end of their group. Returns true if there are several, or repetitions in them.
    private mutating func readAlternatives(depth: Int) -> Bool {
        guard depth < 50 else { return giveUp() }
        var hasWays = false
        // True if what was read last has several ways, and so must not be repeated.
        var lastHasWays = false
        while isKnown, let character = pattern.popFirst() {
            switch character {
            case "(":
                lastHasWays = readGroup(depth: depth)
                hasWays = hasWays || lastHasWays
            case ")":
                return hasWays
            case "|":
                // A choice of the whole pattern is made once for each place in the text.
                if depth > 0 { cost += 1 }
                hasWays = true
            case "[":
                skipClass()
                lastHasWays = false
            case "\\":
                skipEscape()
                lastHasWays = false
            case "?":
                cost += 1
                (hasWays, lastHasWays) = (true, true)
                skipSuffix()
            case "*", "+", "{":
                let isFixed = character == "{" && readNumbers()
                if lastHasWays { isKnown = false }
                cost += isFixed ? 0 : 4
                (hasWays, lastHasWays) = (true, true)
                skipSuffix()
            default:
                lastHasWays = false
            }
        }
        return hasWays
    }

    private mutating func readGroup(depth: Int) -> Bool {
        if pattern.first == "*" { return giveUp() }
        if pattern.first == "?" {
            pattern.removeFirst()
            guard pattern.popFirst() == ":" else { return giveUp() }
        }
        return readAlternatives(depth: depth + 1)
    }

    /// Skips the sign of a lazy or possessive repetition.
    private mutating func skipSuffix() {
        if pattern.first == "?" || pattern.first == "+" { pattern.removeFirst() }
    }

    /// Reads the numbers in braces. Returns true if there is one.
    private mutating func readNumbers() -> Bool {
        guard let end = pattern.firstIndex(of: "}") else { return giveUp() }
        let numbers = pattern[..<end].split(separator: ",", omittingEmptySubsequences: false)
        pattern = pattern[pattern.index(after: end)...]
        let areNumbers = numbers.allSatisfy { number in
            number.isEmpty
                || number.allSatisfy { $0.isASCII && $0.isNumber } && Int(number) ?? .max <= Self.greatestNumber
        }
        guard areNumbers, numbers.count <= 2 else { return giveUp() }
        return numbers.count == 1
    }

    private mutating func skipClass() {
        if pattern.first == "^" { pattern.removeFirst() }
        if pattern.first == "]" { isKnown = false }
        while isKnown, let character = pattern.popFirst() {
            switch character {
            case "]": return
            case "[": skipNameOfClass()
            case "\\": skipEscape()
            default: break
            }
        }
    }

    /// Skips the rest of a name such as `[:digit:]`. No other bracket in a class is known to be fast.
    private mutating func skipNameOfClass() {
        guard pattern.popFirst() == ":", let end = pattern.firstIndex(where: { !$0.isLetter }),
            pattern[end...].hasPrefix(":]")
        else { return isKnown = false }
        pattern = pattern[end...].dropFirst(2)
    }

    private mutating func skipEscape() {
        // References to groups, quotations, and controls, which take more characters.
        if let character = pattern.popFirst(), "123456789gkcQE".contains(character) { isKnown = false }
    }

    private mutating func giveUp() -> Bool {
        isKnown = false
        return true
    }
}
