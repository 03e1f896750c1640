import Testing

@testable import Presentation

struct FrameTests {
    @Test("Updates turn any frame into any other, and write only the rows that differ")
    func updates() {
        var terminal = Emulator()
        var before: Frame?
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let rows = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                ["", "London", "東京", "a much longer row"].randomElement(using: &random) ?? ""
            }
            let frame = Frame(rows: rows)
            let update = frame.update(from: before)
            terminal.write(update)
            #expect(terminal.picture == rows.reversed().drop { $0.isEmpty }.reversed())
            before = frame
        }
    }

    @Test("The same frame writes nothing")
    func same() {
        let frame = Frame(rows: ["London", "Paris"])
        #expect(frame.update(from: frame) == "")
    }

    @Test("One changed row is all that is written")
    func one() {
        let update = Frame(rows: ["London", "Rome", "Oslo"]).update(from: Frame(rows: ["London", "Paris", "Oslo"]))
        #expect(update.contains("Rome"))
        #expect(!update.contains("London") && !update.contains("Oslo"))
    }

    @Test("Nothing is erased before it is replaced")
    func noFlicker() {
        let update = Frame(rows: ["a", "b"]).update(from: nil)
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
