import ChildProcesses
import Foundation
import LocalBackend
import Persistence
import TableBackend
import Testing

private let python = ProcessInfo.processInfo.environment["POSTGREST_PYTHON"]

/// The answers are those that a client of PostgREST expects, which has none of our types: `PostgRESTClient/cases.py`.
///
/// `make postgrest` installs the client. Without it, which `POSTGREST_PYTHON` names, these tests are skipped.
@Suite(.enabled(if: python != nil, "make postgrest installs the client that these tests need"))
struct PostgRESTClientTests {
    @Test("All documented calls of PyPI's postgrest are answered as PostgREST does")
    func documentedCalls() async throws {
        let store = try SQLiteStore(Measurement.schema, in: SQLiteDatabase(.memory))
        let backend = LocalBackend()
        backend.serve(Table(store, Measurement.schema), at: "/measurements")
        let url = try await backend.start()
        let (ending, output) = try await run(cases: url)
        await backend.stop(within: .zero)
        #expect(ending == .exit(0), "\(output)")
        #expect(output.contains("cases passed"))
    }

    private func run(cases url: URL) async throws -> (ending: ChildProcess.Ending, output: String) {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "PostgRESTClient/cases.py")
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$@\" 2>&1", "sh", #require(python), script.path(percentEncoded: false), url.absoluteString])
        let output = Task.detached { String(decoding: process.output.rest(), as: UTF8.self) }
        return (await process.end(), await output.value)
    }
}

private struct Measurement: Identifiable, Sendable {
    var id: Int
    var name: String
    var value: Double
    var isValid: Bool?
    var note: String?
    var takenAt: Date
    var sensor: UUID?

    static let schema = Schema<Measurement>(
        "measurements",
        { Measurement(id: $0, name: $1, value: $2, isValid: $3, note: $4, takenAt: $5, sensor: $6) },
        Column("id", \.id), Column("name", \.name), Column("value", \.value), Column("is_valid", \.isValid),
        Column("note", \.note), Column("taken_at", \.takenAt), Column("sensor", \.sensor))
}
