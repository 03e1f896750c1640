import Testing

@testable import Presentation

struct FrameTests {
    private func frame(_ rows: [String], columns: Int = 20, height: Int = 6) -> Frame {
        Frame(
            rows.map { StyledLine($0) }, size: Terminal.Size(columns: columns, rows: height), palette: .plain)
    }

    @Test("Updates turn any frame into any other, and write only the rows that differ")
    func updates() {
        var terminal = Emulator()
        var before: Frame?
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let rows = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                ["", "London", "東京", "a much longer row"].randomElement(using: &random) ?? ""
            }
            let frame = frame(rows)
            let update = frame.update(from: before)
            terminal.write(update)
            #expect(terminal.picture == rows.reversed().drop { $0.isEmpty }.reversed())
            before = frame
        }
    }

    @Test("A frame as large as the terminal loses neither its last row nor its last column")
    func full() {
        let rows = ["1234567890", "──────────", "東京東京東"]
        let update = frame(rows, columns: 10, height: 3).update(from: nil)
        for row in rows { #expect(update.contains(row)) }
        // Either would erase the character on which the cursor stands.
        #expect(!update.contains("\u{1B}[K") && !update.contains("\u{1B}[J"))
    }

    @Test("The cursor stands at the caret, and is hidden if there is none")
    func cursor() {
        var field = StyledLine("Name [Ada ]")
        field.caret = 9
        let size = Terminal.Size(columns: 20, rows: 3)
        let editing = Frame([StyledLine("東京"), field], size: size, palette: .plain)
        let showing = Frame([StyledLine("東京")], size: size, palette: .plain)
        #expect(editing.update(from: showing).contains("\u{1B}[2;10H\u{1B}[?25h"))
        #expect(showing.update(from: editing).contains("\u{1B}[?25l"))
        #expect(showing.update(from: nil).contains("\u{1B}[?25l"))
        let other = Frame([StyledLine("Paris")], size: size, palette: .plain)
        #expect(!other.update(from: showing).contains("\u{1B}[?25"))
    }

    @Test("The same frame writes nothing")
    func same() {
        let frame = frame(["London", "Paris"])
        #expect(frame.update(from: frame) == "")
    }

    @Test("One changed row is all that is written")
    func one() {
        let update = frame(["London", "Rome", "Oslo"]).update(from: frame(["London", "Paris", "Oslo"]))
        #expect(update.contains("Rome"))
        #expect(!update.contains("London") && !update.contains("Oslo"))
    }

    @Test("Nothing is erased before it is replaced")
    func noFlicker() {
        let update = frame(["a", "b"]).update(from: nil)
        #expect(!update.contains("\u{1B}[2J"))
        #expect(update.hasPrefix("\u{1B}[?2026h") && update.hasSuffix("\u{1B}[?2026l"))
    }
}

/// A terminal as far as frames need one: it goes to a row, erases to the end of the line, or all below.
private struct Emulator {
    private var rows: [String] = []
    private var row = 0

    /// The rows, without empty ones at the end.
    var picture: [String] { rows.reversed().drop { $0.isEmpty }.reversed() }

    mutating func write(_ text: String) {
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                rows[row].append(character)
                continue
            }
            let parameters = rest.dropFirst().prefix { !$0.isLetter }
            rest = rest.dropFirst(1 + parameters.count)
            switch rest.popFirst() {
            case "H":
                row = (Int(parameters.prefix { $0 != ";" }) ?? 1) - 1
                while rows.count <= row { rows.append("") }
                // What is written replaces what stands there; what is left of it is erased by K.
                rows[row] = ""
            case "J": rows.removeSubrange(row...)
            default: break
            }
        }
    }
}
