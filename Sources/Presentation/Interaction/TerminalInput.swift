/// Something that a terminal sends: a key, or a text that was pasted.
enum TerminalInput: Equatable, Sendable {
    case key(Key)
    case paste(String)
}
