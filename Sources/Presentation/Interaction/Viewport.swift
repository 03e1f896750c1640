/// The part of a screen that fits on a terminal: the title, the actions, and as much of the body as there is room for.
struct Viewport: Sendable {
    /// How many rows of the body are above what is shown.
    private(set) var offset = 0

    mutating func scroll(pages: Int, in parts: ScreenLayout.Parts, rows: Int) {
        offset += pages * max(1, room(for: parts, rows: rows) - 2)
    }

    /// The rows to show, with the focused control among them.
    ///
    /// - Parameter focus: The control to keep in sight; `nil` to leave the view where it was scrolled to.
    mutating func rows(of parts: ScreenLayout.Parts, count: Int, focus: Int?) -> [StyledLine] {
        let room = room(for: parts, rows: count)
        let body = parts.body
        guard body.count > room else {
            offset = 0
            return Array(parts.lines.prefix(max(0, count)))
        }
        guard room > 2 else { return Array((parts.header + body).prefix(max(0, count))) }
        if let focus, let line = body.firstIndex(where: { $0.control == focus }) {
            // One row more on either side, where the marks of what is hidden stand.
            offset = min(max(offset, line - room + 2), max(0, line - 1))
        }
        offset = max(0, min(body.count - room, offset))
        var shown = Array(body[offset..<(offset + room)])
        if offset > 0 { shown[0] = StyledLine("↑ \((offset + 1).grouped) more", .faint) }
        let below = body.count - offset - room
        if below > 0 { shown[room - 1] = StyledLine("↓ \((below + 1).grouped) more", .faint) }
        return parts.header + shown + parts.footer
    }

    private func room(for parts: ScreenLayout.Parts, rows: Int) -> Int {
        max(0, rows - parts.header.count - parts.footer.count)
    }
}
