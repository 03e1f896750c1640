/// A JSON value whose members have an order.
indirect enum Body {
    typealias Member = (key: String, value: Body)

    /// A number or a literal.
    case plain(String)
    /// A text with its escapes.
    case string(String)
    case list([Body])
    case object([Member])

    static var null: Body { .plain("null") }

    /// The value with the keys of its objects in another order; in the same one for server 0.
    func ordered(by server: Int) -> Body {
        switch self {
        case .plain, .string: self
        case .list(let elements): .list(elements.map { $0.ordered(by: server) })
        case .object(let members):
            .object(
                (server == 0 ? members : members.sorted { Self.weight($0.key, server) < Self.weight($1.key, server) })
                    .map { ($0.key, $0.value.ordered(by: server)) })
        }
    }

    private static func weight(_ key: String, _ server: Int) -> Int {
        key.utf8.reduce(server) { ($0 * 31 + Int($1) * server) % 10_007 }
    }

    /// The value as text; `line` begins each line of an indented one, and is empty for a compact one.
    func text(_ line: String) -> String {
        let inner = line.isEmpty ? "" : line + "  "
        func lines(_ parts: [String], _ open: String, _ close: String) -> String {
            parts.isEmpty ? open + close : open + inner + parts.joined(separator: "," + inner) + line + close
        }
        return switch self {
        case .plain(let text): text
        case .string(let text): "\"\(text)\""
        case .list(let elements): lines(elements.map { $0.text(inner) }, "[", "]")
        case .object(let members):
            lines(members.map { "\"\($0.key)\":\(line.isEmpty ? "" : " ")\($0.value.text(inner))" }, "{", "}")
        }
    }
}
