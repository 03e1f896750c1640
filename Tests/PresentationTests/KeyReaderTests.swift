import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Presentation

/// On a pipe.
struct KeyReaderTests {
    @Test("Keys are read only as fast as they are used")
    func readingAhead() async throws {
        let input = Pipe()
        try input.fileHandleForWriting.write(contentsOf: Data(String(repeating: "+", count: 5_000).utf8))
        try input.fileHandleForWriting.close()
        let batches = Locked<(waiting: Int, most: Int, keys: Int)>((0, 0, 0))
        let hasEnded = Locked(false)
        let reader = KeyReader(
            Terminal(input: input.fileHandleForReading.fileDescriptor, output: -1),
            onInputs: { inputs in
                batches.withLock { batches in
                    batches.waiting += 1
                    batches.most = max(batches.most, batches.waiting)
                    batches.keys += inputs.count
                }
            }, onEnd: { hasEnded.withLock { $0 = true } })
        while !hasEnded.withLock({ $0 }) {
            await eventually("keys have come") { batches.withLock { $0.waiting > 0 } || hasEnded.withLock { $0 } }
            guard batches.withLock({ $0.waiting > 0 }) else { continue }
            batches.withLock { $0.waiting -= 1 }
            reader.readMore()
        }
        #expect(batches.withLock { $0.most } == 1)
        #expect(batches.withLock { $0.keys } == 5_000)
        // It may be stopped again.
        reader.stop()
        reader.stop()
        withExtendedLifetime(input) {}
    }

    @Test("A reader that waits until its keys are used can be stopped")
    func stoppingReader() async throws {
        let input = Pipe()
        try input.fileHandleForWriting.write(contentsOf: Data("+".utf8))
        let hasKeys = Locked(false)
        let reader = KeyReader(
            Terminal(input: input.fileHandleForReading.fileDescriptor, output: -1),
            onInputs: { _ in hasKeys.withLock { $0 = true } }, onEnd: {})
        await eventually("keys have come") { hasKeys.withLock { $0 } }
        reader.stop()
        withExtendedLifetime(input) {}
    }

    @Test("Escape is passed on once no byte has followed it for a moment")
    func escape() async throws {
        let input = Pipe()
        try input.fileHandleForWriting.write(contentsOf: Data("a\u{1B}".utf8))
        let inputs = Locked<[TerminalInput]>([])
        let reader = KeyReader(
            Terminal(input: input.fileHandleForReading.fileDescriptor, output: -1),
            onInputs: { new in inputs.withLock { $0 += new } }, onEnd: {})
        await eventually("the letter has come") { inputs.withLock { !$0.isEmpty } }
        reader.readMore()
        await eventually("Escape has come") { inputs.withLock { $0.count == 2 } }
        #expect(inputs.withLock { $0 } == [.key(.character("a")), .key(.escape)])
        reader.stop()
        withExtendedLifetime(input) {}
    }
}
