/// The rows that a terminal shows.
struct Frame: Equatable, Sendable {
    /// Painted, none wider than the terminal.
    var rows: [String]

    /// The control sequences that turn what stands there into this frame, with one write: only rows that differ are
    /// written, and nothing is erased before it is replaced, so nothing flickers.
    ///
    /// - Parameter before: The frame that the terminal shows; `nil` if that is unknown.
    func update(from before: Frame?) -> String {
        var text = ""
        let known = before?.rows ?? []
        for (index, row) in rows.enumerated() where index >= known.count || known[index] != row {
            text += "\u{1B}[\(index + 1);1H\(row)\u{1B}[K"
        }
        if before == nil || known.count > rows.count {
            text += "\u{1B}[\(rows.count + 1);1H\u{1B}[J"
        }
        // Terminals that know how show it all at one time.
        return text.isEmpty ? "" : "\u{1B}[?2026h\(text)\u{1B}[?2026l"
    }
}
