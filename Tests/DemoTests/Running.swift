import ChildProcesses
import Feedback
import Fixtures
import Foundation
import Testing

/// The exit code and the output of a run of the demo.
struct Run {
    let code: Int32
    let output: String
    let errors: String
}

/// Runs the demo to its end.
func demo(_ words: String..., keys: String? = nil) async throws -> Run {
    try await demo(words, keys: keys)
}

/// Runs the demo to its end.
func demo(_ words: [String], keys: String? = nil) async throws -> Run {
    let running = try Running(words, keys: keys)
    let code: Int32 =
        switch await running.end() {
        case .exit(let code): code
        // As a shell has it.
        case .signal(let number): 128 + number
        }
    return Run(code: code, output: running.output, errors: running.errors)
}

/// A run of the demo that is under way.
final class Running: Sendable {
    let process: ChildProcess
    private let written = MutableProperty(Data())
    private let complained = MutableProperty(Data())

    convenience init(_ words: String...) throws {
        try self.init(words)
    }

    /// - Parameters:
    ///   - output: Takes the output, if it is not collected.
    ///   - errors: Takes the errors, if they are not collected.
    init(
        _ words: [String], keys: String? = nil, output: ChildProcess.Stream = .pipe, errors: ChildProcess.Stream = .pipe
    ) throws {
        process = try ChildProcess(Self.program, words, input: .pipe, output: output, errors: errors)
        collect()
        // It may have ended before it reads them.
        if let keys { try? process.input.write(keys) }
        process.input.close()
    }

    /// A run at a terminal, as a person uses it.
    init(_ words: String..., at terminal: PseudoTerminal) throws {
        let device = ChildProcess.Stream.descriptor(terminal.terminal.input)
        // After a crash Swift would ask at the terminal what to do next, and wait.
        process = try ChildProcess(
            Self.program, words, environment: ["SWIFT_BACKTRACE": "enable=no"], input: device, output: device,
            errors: .null)
        collect()
    }

    var output: String { String(decoding: written.value, as: UTF8.self) }
    var errors: String { String(decoding: complained.value, as: UTF8.self) }

    /// Waits for the end.
    func end() async -> ChildProcess.Ending {
        let ending = await process.end()
        // The pipes are read on threads of their own; their ends are marked.
        for await data in written.values where data.last == 0 { break }
        for await data in complained.values where data.last == 0 { break }
        written.modify { $0.removeLast() }
        complained.modify { $0.removeLast() }
        return ending
    }

    /// Waits until the demo prints the address at which it serves.
    func address() async throws -> URL {
        for await data in written.values {
            let text = String(decoding: data, as: UTF8.self)
            if let match = text.firstMatch(of: /(?:Serving on|Open) (\S+) (?:until|in)/) {
                return try #require(URL(string: "\(match.1)"))
            }
        }
        throw CocoaError(.fileReadUnknown)
    }

    private func collect() {
        for (reader, property) in [(process.output, written), (process.errors, complained)] {
            Thread.detachNewThread {
                while case let data = reader.more(), !data.isEmpty { property.modify { $0 += data } }
                property.modify { $0.append(0) }
            }
        }
    }

    private static let program = builtProgram("demo")
}
