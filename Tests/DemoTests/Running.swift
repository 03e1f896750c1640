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
    let code = await running.end()
    return Run(code: code, output: running.output, errors: running.errors)
}

/// A run of the demo that is under way.
final class Running: Sendable {
    let process = Process()
    private let written = MutableProperty(Data())
    private let complained = MutableProperty(Data())
    private let hasEnded = MutableProperty(false)

    convenience init(_ words: String...) throws {
        try self.init(words)
    }

    /// - Parameters:
    ///   - file: Takes the output, if it is not collected.
    ///   - errorFile: Takes the errors, if they are not collected.
    init(
        _ words: [String], keys: String? = nil, output file: FileHandle? = nil, errors errorFile: FileHandle? = nil
    ) throws {
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.executableURL = try Self.executable()
        process.arguments = words
        process.standardInput = input
        if let errorFile {
            process.standardError = errorFile
            complained.modify { $0.append(0) }
        } else {
            process.standardError = errors
            Self.collect(from: errors, into: complained)
        }
        if let file {
            process.standardOutput = file
            written.modify { $0.append(0) }
        } else {
            process.standardOutput = output
            Self.collect(from: output, into: written)
        }
        process.terminationHandler = { [hasEnded] _ in hasEnded.value = true }
        try process.run()
        if let keys { try input.fileHandleForWriting.write(contentsOf: Data(keys.utf8)) }
        try input.fileHandleForWriting.close()
    }

    /// A run at a terminal, as a person uses it.
    init(_ words: String..., at terminal: PseudoTerminal) throws {
        process.executableURL = try Self.executable()
        process.arguments = words
        // After a crash Swift would ask at the terminal what to do next, and wait.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let device = FileHandle(fileDescriptor: terminal.terminal.input, closeOnDealloc: false)
        process.standardInput = device
        process.standardOutput = device
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [hasEnded] _ in hasEnded.value = true }
        written.modify { $0.append(0) }
        complained.modify { $0.append(0) }
        try process.run()
    }

    var output: String { String(decoding: written.value, as: UTF8.self) }
    var errors: String { String(decoding: complained.value, as: UTF8.self) }

    /// Waits for the end.
    ///
    /// - Returns: The exit code.
    func end() async -> Int32 {
        for await hasEnded in hasEnded.values where hasEnded { break }
        // The pipes are read on threads of their own; their ends are marked.
        for await data in written.values where data.last == 0 { break }
        for await data in complained.values where data.last == 0 { break }
        written.modify { $0.removeLast() }
        complained.modify { $0.removeLast() }
        return process.terminationStatus
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

    private static func collect(from pipe: Pipe, into property: MutableProperty<Data>) {
        let handle = pipe.fileHandleForReading
        Thread {
            while case let data = handle.more(), !data.isEmpty { property.modify { $0 += data } }
            property.modify { $0.append(0) }
        }.start()
    }

    /// The demo, which the build has put beside the tests.
    private static func executable() throws -> URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        let folder =
            bundle.bundlePath.hasSuffix(".xctest") ? bundle.bundleURL.deletingLastPathComponent() : bundle.bundleURL
        return folder.appending(path: "demo")
    }
}
