/// The part of a field's text that fits into a number of columns, with the caret in it. An ellipsis stands where text is
/// cut off.
struct FieldWindow: Equatable {
    let text: String
    /// The number of columns before the caret.
    let caret: Int

    /// - Parameter caret: The number of characters before the caret; `nil` for a caret at the end.
    init(_ text: String, caret: Int?, columns: Int) {
        let characters = Array(text)
        let caret = min(max(0, caret ?? characters.count), characters.count)
        // In very few columns there is no room for ellipses.
        let mark = columns > 3 ? 1 : 0
        // A caret at the end stands behind the text, where the field has one column more.
        let room = caret < characters.count ? columns - 1 : columns
        let before = Self.fitting(characters[..<caret].reversed(), into: room, mark: mark)
        let front = before.count < caret ? mark : 0
        let after = Self.fitting(characters[caret...], into: columns - front - before.columns, mark: mark)
        let isCut = caret + after.count < characters.count && mark > 0
        self.text =
            (front > 0 ? "…" : "") + String(characters[(caret - before.count)..<(caret + after.count)])
            + (isCut ? "…" : "")
        self.caret = front + before.columns
    }

    /// Returns the number of characters from the first on that fit into a number of columns, and their columns. If not all
    /// fit, there is room for the mark behind them. Looks at no more characters than fit.
    private static func fitting(
        _ characters: some Sequence<Character>, into room: Int, mark: Int
    ) -> (count: Int, columns: Int) {
        var all = (count: 0, columns: 0)
        var cut = all
        for character in characters {
            all = (all.count + 1, all.columns + character.columns)
            guard all.columns <= room else { return cut }
            if all.columns + mark <= room { cut = all }
        }
        return all
    }
}
