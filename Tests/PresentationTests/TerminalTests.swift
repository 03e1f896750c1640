import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Presentation

struct TerminalTests {
    @Test("The size is that of the output")
    func size() throws {
        let device = try PseudoTerminal(columns: 1, rows: 2)
        #expect(device.terminal.size == Terminal.Size(columns: 1, rows: 2))
    }

    @Test("An output without columns, without rows, or that is not a terminal counts as 80 by 24")
    func unknownSize() throws {
        let usual = Terminal.Size(columns: 80, rows: 24)
        for (columns, rows) in [(0, 50), (100, 0), (0, 0)] as [(UInt16, UInt16)] {
            let device = try PseudoTerminal(columns: columns, rows: rows)
            #expect(device.terminal.size == usual, "\(columns) by \(rows)")
        }
        let pipe = Pipe()
        #expect(Terminal(input: -1, output: pipe.fileHandleForWriting.fileDescriptor).size == usual)
    }

    @Test("Colours are for terminals that are not dumb, unless NO_COLOR has a value")
    func palette() throws {
        let device = try PseudoTerminal(columns: 60, rows: 12)
        let isColored = { (terminal: Terminal, environment: [String: String]) in
            terminal.palette(environment: environment).paint(StyledLine("Title", .title)) != "Title"
        }
        #expect(isColored(device.terminal, [:]))
        #expect(isColored(device.terminal, ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!isColored(device.terminal, ["NO_COLOR": "0"]))
        #expect(!isColored(device.terminal, ["TERM": "dumb"]))
        let pipe = Pipe()
        #expect(!isColored(Terminal(input: -1, output: pipe.fileHandleForWriting.fileDescriptor), [:]))
    }

    @Test("A text that is longer than the output has room for is written whole, also if the output does not wait")
    func longText() async throws {
        let pipe = Pipe()
        let output = pipe.fileHandleForWriting.fileDescriptor
        try #require(fcntl(output, F_SETFL, O_NONBLOCK) == 0)
        let reading = Task.detached { try pipe.fileHandleForReading.readToEnd() }
        let text = (0..<100_000).map { "\($0)\n" }.joined()
        try Terminal(input: -1, output: output).write(text)
        try pipe.fileHandleForWriting.close()
        let read = try await reading.value
        #expect(read == Data(text.utf8))
    }

    @Test("An output that cannot be written is an error with the system's reason")
    func unwritten() {
        let error = #expect(throws: Terminal.WriteFailure.self) { try Terminal(input: -1, output: -1).write("text") }
        #expect(error == Terminal.WriteFailure(code: EBADF))
        #expect(error?.description == "Bad file descriptor.")
        #expect(throws: Never.self) { try Terminal(input: -1, output: -1).write("") }
    }
}
