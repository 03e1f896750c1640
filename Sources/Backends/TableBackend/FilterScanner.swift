import Persistence

/// Reads filters, one code point after the other.
///
/// A value that stands alone in an item of the query goes to the item's end. In parentheses it ends at a comma or the
/// closing one, unless it is quoted.
struct FilterScanner {
    private let item: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    /// Deeper than anybody writes, and not so deep that reading it would fill the stack.
    private static let maximumDepth = 100

    /// - Parameter item: The item as a whole, for the rejection.
    init(_ text: String, of item: String) {
        self.item = item
        scalars = Array(text.unicodeScalars)
    }

    // MARK: - Items

    /// `eq.7`, `not.in.(1,2)`: what stands behind `column=`.
    static func test(of column: String, _ value: String) throws(TableRejection) -> FilterTree {
        var scanner = FilterScanner(value, of: "filter (\(value))")
        let test = try scanner.test(of: column, isNested: false)
        guard scanner.isAtEnd else { throw scanner.rejection("the end of the filter") }
        return .test(test)
    }

    /// `(a.eq.1,not.and(b.lt.2,c.is.null))`: what stands behind `or=` or `not.and=`.
    static func join(_ name: String, _ value: String) throws(TableRejection) -> FilterTree {
        var scanner = FilterScanner(name + value, of: "logic tree (\(value))")
        let tree = try scanner.tree()
        guard scanner.isAtEnd else { throw scanner.rejection("the end of the filter") }
        return tree
    }

    /// The names in `order=` and `select=`, which may be quoted, each with the words behind it.
    static func terms(_ text: String, of item: String) throws(TableRejection) -> [[String]] {
        var scanner = FilterScanner(text, of: item)
        var terms: [[String]] = []
        repeat {
            scanner.skipBlanks()
            var term = [try scanner.name()]
            while scanner.skip(".") { term.append(try scanner.name()) }
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
        guard skip(".") else {
            position = start
            throw rejection("an operator (eq, gt, …) and \".\"")
        }
        let operation: FilterTest.Operation
        switch word {
        case "eq": operation = .compare(.equal, try value(isNested))
        case "neq": operation = .compare(.notEqual, try value(isNested))
        case "lt": operation = .compare(.less, try value(isNested))
        case "lte": operation = .compare(.lessOrEqual, try value(isNested))
        case "gt": operation = .compare(.greater, try value(isNested))
        case "gte": operation = .compare(.greaterOrEqual, try value(isNested))
        case "isdistinct": operation = .isDistinct(try value(isNested))
        case "like": operation = .like(try value(isNested), ignoresCase: false)
        case "ilike": operation = .like(try value(isNested), ignoresCase: true)
        case "match": operation = .match(try value(isNested), ignoresCase: false)
        case "imatch": operation = .match(try value(isNested), ignoresCase: true)
        case "in": operation = .member(try list())
        case "is":
            switch try value(isNested).lowercased() {
            case "null": operation = .isNull
            case "true": operation = .isBool(true)
            case "false": operation = .isBool(false)
            case "unknown": operation = .isUnknown
            default: throw rejection("null, true, false or unknown")
            }
        default:
            position = start
            throw rejection("an operator (eq, gt, …); this server knows no \"\(word)\"")
        }
        return FilterTest(column: column, isNegated: isNegated, operation: operation)
    }

    private mutating func value(_ isNested: Bool) throws(TableRejection) -> String {
        if isNested { return try element() }
        defer { position = scalars.count }
        return text(position..<scalars.count)
    }

    private mutating func list() throws(TableRejection) -> [String] {
        skipBlanks()
        guard skip("(") else { throw rejection("\"(\"") }
        var elements: [String] = []
        repeat { elements.append(try element()) } while skip(",")
        guard skip(")") else { throw rejection("\",\" or \")\"") }
        skipBlanks()
        return elements == [""] ? [] : elements
    }

    /// A value in parentheses: in quotation marks, or up to the next comma or closing parenthesis.
    private mutating func element() throws(TableRejection) -> String {
        let start = position
        if peek == "\"" {
            let value = try quoted()
            if peek == nil || peek == "," || peek == ")" { return value }
            position = start
        }
        while let scalar = peek, scalar != ",", scalar != ")" { position += 1 }
        return text(start..<position)
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
