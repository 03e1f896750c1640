import Persistence

/// A scanner that reads filters, one code point after the other.
///
/// A value outside of parentheses extends to the end of the item. In parentheses it ends at a comma or at the closing
/// parenthesis, unless it is in quotation marks.
struct FilterScanner {
    private let item: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    /// The greatest depth. Queries need less, and the recursion does not overflow the stack.
    private static let maximumDepth = 100

    /// - Parameter item: The whole item, for the rejection.
    init(_ text: String, of item: String) {
        self.item = item
        scalars = Array(text.unicodeScalars)
    }

    // MARK: - Items

    /// Reads the value of `column=`: `eq.7`, `not.in.(1,2)`.
    static func test(of column: String, _ value: String) throws(TableRejection) -> FilterTree {
        var scanner = FilterScanner(value, of: "filter (\(value))")
        let test = try scanner.test(of: column, isNested: false)
        guard scanner.isAtEnd else { throw scanner.rejection("the end of the filter") }
        return .test(test)
    }

    /// Reads the value of `or=` or `not.and=`: `(a.eq.1,not.and(b.lt.2,c.is.null))`.
    static func join(_ name: String, _ value: String) throws(TableRejection) -> FilterTree {
        var scanner = FilterScanner(name + value, of: "logic tree (\(value))")
        let tree = try scanner.tree()
        guard scanner.isAtEnd else { throw scanner.rejection("the end of the filter") }
        return tree
    }

    /// Reads the names in `order=`, `select=` and `columns=`, which may be quoted, each with the words after it.
    static func terms(
        _ text: String, of item: String, separator: String = "."
    ) throws(TableRejection) -> [[String]] {
        var scanner = FilterScanner(text, of: item)
        var terms: [[String]] = []
        repeat {
            scanner.skipBlanks()
            var term = [try scanner.name()]
            while scanner.skip(separator) { term.append(try scanner.name()) }
            scanner.skipBlanks()
            terms.append(term)
        } while scanner.skip(",")
        guard scanner.isAtEnd else { throw scanner.rejection("\",\" or the end") }
        return terms
    }

    // MARK: - Grammar

    private mutating func tree() throws(TableRejection) -> FilterTree {
        skipBlanks()
        let start = position
        let isNegated = skip("not.")
        for (word, isAnd) in [("and", true), ("or", false)] where skip(word) {
            skipBlanks()
            guard skip("(") else { break }
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else { throw rejection("less than \(Self.maximumDepth) parentheses") }
            var trees: [FilterTree] = []
            repeat { trees.append(try tree()) } while skip(",")
            guard skip(")") else { throw rejection("\",\" or \")\"") }
            skipBlanks()
            return .join(isAnd: isAnd, isNegated: isNegated, trees)
        }
        position = start
        let column = try name()
        guard skip(".") else { throw rejection("\".\" and an operator") }
        let test = try test(of: column, isNested: true)
        skipBlanks()
        return .test(test)
    }

    private mutating func test(of column: String, isNested: Bool) throws(TableRejection) -> FilterTest {
        let isNegated = skip("not.")
        let start = position
        while let scalar = peek, scalar.isASCIILetter { position += 1 }
        let word = text(start..<position)
        let quantifier: FilterTest.Quantifier? = skip("(any)") ? .any : skip("(all)") ? .all : nil
        if ["fts", "plfts", "phfts", "wfts"].contains(word) { throw .notServed("the search for words (\(word))") }
        guard skip(".") else {
            position = start
            throw rejection("an operator (eq, gt, …) and \".\"")
        }
        guard let operation = try operation(word, quantifier, isNested) else {
            position = start
            throw rejection("an operator (eq, gt, …); \"\(word)\(quantifier?.rawValue ?? "")\" is none")
        }
        return FilterTest(column: column, isNegated: isNegated, operation: operation)
    }

    private mutating func operation(
        _ word: String, _ quantifier: FilterTest.Quantifier?, _ isNested: Bool
    ) throws(TableRejection) -> FilterTest.Operation? {
        if let comparison = FilterTest.Comparison(rawValue: word) {
            guard let quantifier else { return .compare(comparison, try value(isNested)) }
            guard comparison.allowsQuantifier else { return nil }
            return .quantified(comparison, quantifier, try array(isNested))
        }
        guard quantifier == nil else { return nil }
        switch word {
        case "isdistinct": return .isDistinct(try value(isNested))
        case "in": return .member(try list())
        case "is":
            switch try value(isNested).lowercased() {
            case "null": return .isNull
            case "not_null": return .isNotNull
            case "true": return .isBool(true)
            case "false": return .isBool(false)
            case "unknown": return .isUnknown
            default: throw rejection("null, not_null, true, false or unknown")
            }
        default:
            // The operators of arrays and ranges, which no column supports.
            guard let sign = FilterTest.otherOperators[word] else { return nil }
            _ = try value(isNested)
            return .other(sign)
        }
    }

    private mutating func value(_ isNested: Bool) throws(TableRejection) -> String {
        if isNested { return try element() }
        defer { position = scalars.count }
        return text(position..<scalars.count)
    }

    private mutating func list() throws(TableRejection) -> [String] {
        skipBlanks()
        guard skip("(") else { throw rejection("\"(\"") }
        skipBlanks()
        var elements: [String] = []
        repeat { elements.append(try element(mayBeArray: false)) } while skip(",")
        guard skip(")") else { throw rejection("\",\" or \")\"") }
        skipBlanks()
        return elements == [""] ? [] : elements
    }

    /// A value in parentheses: in quotation marks, or up to the next comma or closing parenthesis. A value may also be an array
    /// in braces, unless it is one of a list.
    private mutating func element(mayBeArray: Bool = true) throws(TableRejection) -> String {
        let start = position
        if peek == "\"" {
            let value = try quoted()
            if peek == nil || peek == "," || peek == ")" { return value }
            position = start
        }
        if mayBeArray, peek == "{", let end = scalars[(position + 1)...].firstIndex(where: { $0 == "{" || $0 == "}" }),
            scalars[end] == "}"
        {
            position = end + 1
            return text(start..<position)
        }
        while let scalar = peek, scalar != ",", scalar != ")" { position += 1 }
        return text(start..<position)
    }

    /// The elements of `{a,"b,c"}`.
    private mutating func array(_ isNested: Bool) throws(TableRejection) -> [String] {
        let text = try value(isNested)
        guard text.hasPrefix("{"), text.hasSuffix("}") else { throw .malformedArray(text) }
        let inner = String(text.dropFirst().dropLast())
        if inner.isEmpty { return [] }
        var scanner = FilterScanner(inner, of: item)
        var elements: [String] = []
        repeat {
            scanner.skipBlanks()
            elements.append(try scanner.element())
        } while scanner.skip(",")
        guard scanner.isAtEnd else { throw .malformedArray(text) }
        return elements
    }

    private mutating func name() throws(TableRejection) -> String {
        if peek == "\"" { return try quoted() }
        let start = position
        while let scalar = peek, scalar.isInName { position += 1 }
        guard position > start else { throw rejection("a column") }
        return text(start..<position)
    }

    private mutating func quoted() throws(TableRejection) -> String {
        position += 1
        var value = String.UnicodeScalarView()
        while let scalar = peek {
            position += 1
            if scalar == "\"" { return String(value) }
            if scalar != "\\" {
                value.append(scalar)
            } else if let next = peek {
                position += 1
                value.append(next)
            }
        }
        throw rejection("a closing quotation mark")
    }

    // MARK: - Code points

    private var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private var isAtEnd: Bool { position == scalars.count }

    private mutating func skip(_ word: String) -> Bool {
        let word = Array(word.unicodeScalars)
        guard scalars[position...].starts(with: word) else { return false }
        position += word.count
        return true
    }

    private mutating func skipBlanks() {
        while peek == " " { position += 1 }
    }

    private func text(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(scalars[range]))
    }

    private func rejection(_ expected: String) -> TableRejection {
        let found = peek.map { "unexpected \"\($0)\"" } ?? "unexpected end of input"
        return .unreadable(item, "\(found) at column \(position + 1), expecting \(expected)")
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

    fileprivate var isInName: Bool {
        self == "_" || self == "$" || self == "-" || self == "*" || ("0"..."9").contains(self)
            || properties.isAlphabetic
    }
}
