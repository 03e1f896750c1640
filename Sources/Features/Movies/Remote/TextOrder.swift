/// How the server orders text.
public enum TextOrder: Sendable {
    /// By code point, as every store of Persistence does. PostgreSQL does so where a column says `COLLATE "C"`.
    case codePoints
    /// By the rules of some language. What depends on the order of text is then found out here.
    case other
}
