/// The order in which the server sorts text.
public enum TextOrder: Sendable {
    /// By code point, as every store of Persistence does. PostgreSQL does so in a column declared with `COLLATE "C"`.
    case codePoints
    /// By the rules of a language. The store then sorts and compares text itself.
    case other
}
