/// One part of a `like` pattern.
package enum LikeToken<Unit> {
    case literal(Unit)
    case any
    case anyOne

    func map<Other>(_ transform: (Unit) -> Other) -> LikeToken<Other> {
        switch self {
        case .literal(let unit): .literal(transform(unit))
        case .any: .any
        case .anyOne: .anyOne
        }
    }

    /// Returns whether `tokens` match a whole text of `count` units.
    ///
    /// Only the last `%` is ever retried, so the time is at most proportional to the product of both lengths.
    static func matches(_ tokens: [LikeToken], _ count: Int, _ isEqual: (Int, Unit) -> Bool) -> Bool {
        var position = 0
        var token = 0
        var retry: (token: Int, position: Int)?
        while position < count {
            if token < tokens.count {
                switch tokens[token] {
                case .any:
                    retry = (token, position)
                    token += 1
                    continue
                case .anyOne:
                    position += 1
                    token += 1
                    continue
                case .literal(let unit):
                    if isEqual(position, unit) {
                        position += 1
                        token += 1
                        continue
                    }
                }
            }
            guard let last = retry else { return false }
            retry = (last.token, last.position + 1)
            token = last.token + 1
            position = last.position + 1
        }
        while token < tokens.count {
            guard case .any = tokens[token] else { return false }
            token += 1
        }
        return true
    }
}

extension LikeToken<Character> {
    /// The parts of a pattern; a `\` stands for itself unless it comes before `%`, `_` or `\`.
    package static func parse(_ pattern: String) -> [LikeToken] {
        var tokens: [LikeToken] = []
        var isEscaped = false
        for character in pattern {
            switch (character, isEscaped) {
            case ("%", false): tokens.append(.any)
            case ("_", false): tokens.append(.anyOne)
            case ("\\", false):
                isEscaped = true
                continue
            case ("%", true), ("_", true), ("\\", true): tokens.append(.literal(character))
            case (_, true): tokens += [.literal("\\"), .literal(character)]
            case (_, false): tokens.append(.literal(character))
            }
            isEscaped = false
        }
        if isEscaped { tokens.append(.literal("\\")) }
        return tokens
    }
}
