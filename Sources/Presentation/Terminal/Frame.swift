/// The rows that a terminal shows: as many as it has.
struct Frame: Equatable, Sendable {
    /// A place on the terminal, counted from 0.
    struct Cursor: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    /// The painted rows, each with the control sequence that erases the rest of the row.
    private let rows: [String]
    private let cursor: Cursor?

    /// Makes a frame of lines, the first of them at the top. Those that do not fit are left out, and the rest of the
    /// terminal is empty.
    init(_ lines: [StyledLine], size: Terminal.Size, palette: Palette) {
        let lines = lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
        let erasing = "\u{1B}[K"
        rows  // After a row of full width the cursor stands on its last character, which would be erased.
        =
            lines.map { palette.paint($0) + ($0.text.columns < size.columns ? erasing : "") }
            + Array(repeating: erasing, count: max(0, size.rows - lines.count))
        cursor =
            lines.enumerated().lazy
            .compactMap { row, line in line.caret.map { Cursor(row: row, column: $0) } }.first
    }

    /// Returns the control sequences that turn the frame before into this one. They are written at once, contain only
    /// the rows that differ, and erase nothing before it is replaced, so nothing flickers.
    ///
    /// - Parameter before: The frame that the terminal shows; `nil` if that is unknown.
    func update(from before: Frame?) -> String {
        guard self != before else { return "" }
        var text = ""
        let known = before?.rows ?? []
        for (index, row) in rows.enumerated() where index >= known.count || known[index] != row {
            text += "\u{1B}[\(index + 1);1H\(row)"
        }
        if let cursor {
            text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        } else if before == nil || before?.cursor != nil {
            text += "\u{1B}[?25l"
        }
        // Terminals that support synchronized updates show it all at one time.
        return "\u{1B}[?2026h\(text)\u{1B}[?2026l"
    }
}
