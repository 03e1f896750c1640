import Canned
import Networking
import Presentation

/// The texts that a person has typed into fields whose names are those of secrets. A view model can put them anywhere.
struct TypedSecrets {
    /// A field of a screen.
    struct Field: Equatable {
        var model: Int
        var name: String
        var place: Int
    }

    /// A shorter text is part of many others, and equal to some, so it is removed only where typing it has put it.
    private static let minimumLength = 4

    /// The longest one first: a secret that is typed letter by letter contains the ones before it.
    private(set) var texts: [String] = []
    /// The texts as they stand in the text of a value: without quotation marks, and with other signs escaped.
    private var literals: [Substring] = []
    /// The texts that were not on the way to the one that was typed next, letter by letter, the longest one first. Only
    /// these are looked for beyond the states: "user" of "user1234" would occur in most answers.
    private(set) var whole: [String] = []
    /// The last act, if that has typed a secret.
    private var typing: Typing?

    private struct Typing {
        let field: Field
        /// The text in the field.
        let text: String
        /// `true` if it was not in `whole` before, so that the next one may take its place.
        let isNew: Bool
        /// `true` if it is the beginning of the text before it.
        let isShorter: Bool
    }

    var isEmpty: Bool { texts.isEmpty }

    mutating func add(_ text: String, in field: Field) {
        let before = typing?.field == field ? typing : nil
        // Letters come, or go: the first text that others are shorter than was a whole one.
        if let before, before.isNew, text.hasPrefix(before.text) || before.isShorter && before.text.hasPrefix(text) {
            whole.removeAll { $0 == before.text }
        }
        let isShorter = before.map { $0.text != text && $0.text.hasPrefix(text) } ?? false
        typing = Typing(field: field, text: text, isNew: Self.insert(text, into: &whole), isShorter: isShorter)
        if Self.insert(text, into: &texts) { literals = texts.map { $0.debugDescription.dropFirst().dropLast() } }
    }

    /// Notes an act that types no secret: the text before it is whole.
    mutating func endTyping() { typing = nil }

    @discardableResult
    private static func insert(_ text: String, into texts: inout [String]) -> Bool {
        guard text.count >= minimumLength, !texts.contains(text) else { return false }
        texts.append(text)
        texts.sort { $0.count > $1.count }
        return true
    }

    /// Returns a text of a value's line without the secrets in it.
    ///
    /// - Parameter typed: The text that was typed last, of any length, if this line comes from that.
    func removed(from text: String, typed: String? = nil) -> String {
        if let typed, text == typed.debugDescription { return Redaction.mark.debugDescription }
        var text = text
        for literal in literals where text.contains(literal) {
            text = text.replacing(literal, with: Redaction.mark)
        }
        return text
    }

    /// Returns an act without the secrets in the name of the control or in the text that is typed.
    func removed(from act: ScreenStack.Act) -> ScreenStack.Act {
        func removed(from text: String) -> String { whole.reduce(text) { $0.replacing($1, with: Redaction.mark) } }
        return switch act {
        case let .uses(name, place): .uses(removed(from: name), place: place)
        case let .types(text, name, place): .types(removed(from: text), into: name, place: place)
        }
    }

    func removed(from line: ValueLines.Line, typed: String? = nil) -> ValueLines.Line {
        .init(path: removed(fromPath: line.path, typed: typed), text: removed(from: line.text, typed: typed))
    }

    /// Returns a path without the secrets in the keys of dictionaries, which are in quotation marks. The other names in it
    /// are those of the program's source, and a secret may be spelled like one of them.
    private func removed(fromPath path: String, typed: String?) -> String {
        guard
            typed.map({ path.contains($0.debugDescription) }) == true
                || literals.contains(where: { path.contains($0) })
        else { return path }
        return path.replacing(/"(?:\\.|[^"\\])*"/) { removed(from: String($0.output), typed: typed) }
    }
}
