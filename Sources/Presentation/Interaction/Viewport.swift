/// The part of a screen that fits on a terminal: the title, the actions, and as much of the body as there is room for.
struct Viewport: Sendable {
    /// The number of lines of the body above those that are shown.
    private(set) var offset = 0

    /// Scrolls by pages, of which each shows two lines of the one before.
    mutating func scroll(pages: Int, in parts: ScreenLayout.Parts, rows: Int) {
        let parts = Self.condensed(parts, rows: rows)
        let room = Self.room(for: parts, rows: rows)
        offset = max(0, min(parts.body.count - room, offset + pages * max(1, room - 2)))
    }

    /// The lines to show, with the focused control among them.
    ///
    /// - Parameter focus: The control to keep in sight; `nil` to leave the view where it was scrolled to.
    mutating func rows(of parts: ScreenLayout.Parts, count: Int, focus: Int?) -> [StyledLine] {
        let parts = Self.condensed(parts, rows: count)
        let room = Self.room(for: parts, rows: count)
        guard parts.body.count > room else {
            offset = 0
            return Array(parts.lines.prefix(max(0, count)))
        }
        // In less room the marks of hidden lines would take too much of it.
        let marks = room > 3 ? 1 : 0
        if let focus, let line = parts.body.firstIndex(where: { $0.control == focus }) {
            offset = min(max(offset, line - room + 1 + marks), max(0, line - marks))
        }
        offset = max(0, min(parts.body.count - room, offset))
        var shown = Array(parts.body[offset..<(offset + room)])
        guard marks > 0 else { return parts.header + shown + parts.footer }
        if offset > 0 { shown[0] = Self.mark("↑", hiding: offset + 1) }
        let below = parts.body.count - offset - room
        if below > 0 { shown[room - 1] = Self.mark("↓", hiding: below + 1) }
        return parts.header + shown + parts.footer
    }

    private static func mark(_ arrow: String, hiding count: Int) -> StyledLine {
        StyledLine("\(arrow) \(count.counting("more line", "more lines"))", .faint)
    }

    private static func room(for parts: ScreenLayout.Parts, rows: Int) -> Int {
        max(0, rows - parts.header.count - parts.footer.count)
    }

    /// Returns the parts with less and less around the body, until a few lines of the body can be shown. If nothing
    /// else helps, the whole screen scrolls, so that every control can be reached.
    private static func condensed(_ parts: ScreenLayout.Parts, rows: Int) -> ScreenLayout.Parts {
        func isEnough(_ parts: ScreenLayout.Parts) -> Bool {
            room(for: parts, rows: rows) >= min(parts.body.count, 4)
        }
        if isEnough(parts) { return parts }
        let title = Array(parts.header.prefix(1))
        let dense = ScreenLayout.Parts(header: title, body: parts.body, footer: Array(parts.footer.dropFirst()))
        if isEnough(dense) { return dense }
        let body = parts.body + dense.footer
        let moving = ScreenLayout.Parts(header: title, body: body, footer: [])
        return isEnough(moving) ? moving : ScreenLayout.Parts(header: [], body: title + body, footer: [])
    }
}
