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
        var start = 0
        while start < caret, characters[start..<caret].columns + (start > 0 ? mark : 0) > room { start += 1 }
        let front = start > 0 ? mark : 0
        var end = characters.count
        while end > caret, front + characters[start..<end].columns + (end < characters.count ? mark : 0) > columns {
            end -= 1
        }
        let isCut = end < characters.count && mark > 0
        self.text = (front > 0 ? "…" : "") + String(characters[start..<end]) + (isCut ? "…" : "")
        self.caret = front + characters[start..<caret].columns
    }
}

extension ArraySlice<Character> {
    fileprivate var columns: Int { reduce(0) { $0 + $1.columns } }
}
