import ChildProcesses
import Feedback
import Foundation
import Persistence
import Postgres
import Synchronization
import Testing

/// A server of the tests' own, in a temporary folder, that is reached by a Unix socket only. It ends with this process, however
/// that ends.
final class TestServer: Sendable {
    struct CannotStart: Error, CustomStringConvertible {
        let description: String
    }

    /// The folder of the server's programs, if PostgreSQL is installed.
    static let programs: String? = {
        let files = FileManager.default
        let versions = (try? files.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            versions.sorted { $0.localizedStandardCompare($1) == .orderedDescending }
            .map { "/usr/lib/postgresql/\($0)/bin" }
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        return (folders + path).first { files.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    private static let shared = Locked<Result<TestServer, any Error>?>(nil)
    private static let lastSchema = Atomic(0)

    /// The server that tests share. Skips the test if PostgreSQL is not installed, unless `FEEDBACK_POSTGRES` demands it.
    static func running() throws -> TestServer {
        guard programs != nil else {
            let reason = "PostgreSQL is not installed (Debian: postgresql)"
            if ProcessInfo.processInfo.environment["FEEDBACK_POSTGRES"] == "required" {
                throw CannotStart(description: reason)
            }
            try Test.cancel("\(reason)")
        }
        return try shared.withLock { shared in
            let result = shared ?? Result { try TestServer() }
            shared = result
            return result
        }.get()
    }

    let folder: String
    private let process: ChildProcess
    /// Held while a command is carried out, since each test takes the next answer for its own.
    private let controlling = Locked(())

    /// The port of a server that also listens on loopback, for clients with TLS only.
    private let port: UInt16?

    /// - Parameter port: The port of a server that also takes connections with TLS, on loopback. Its certificate, which it has
    ///   made itself, is `server.crt` in its folder.
    init(encryptedAt port: UInt16? = nil) throws {
        self.port = port
        guard let programs = Self.programs else { throw CannotStart(description: "PostgreSQL is not installed") }
        folder = "/tmp/feedback-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        // The server refuses to run as root.
        let isRoot = getuid() == 0
        let options = Self.options(port)
        let script = """
            trap '' INT HUP PIPE
            as() { \(isRoot ? "setpriv --reuid=postgres --regid=postgres --clear-groups --" : "") "$@"; }
            \(isRoot ? "chown postgres \(folder)" : "")
            cd \(folder)
            as \(programs)/initdb -D data -U tester -A trust -E UTF8 --locale=C --no-sync >init.log 2>&1
            \(port == nil ? "" : Self.makingCertificates)
            printf 'local all locked,odd scram-sha-256\\nlocal all all trust\\nhostssl all all 127.0.0.0/8 trust\\n' \
                >data/pg_hba.conf
            as \(programs)/pg_ctl -D data -l \(folder)/log -w -o "\(options) -k \(folder)" start >start.log 2>&1 \
            && echo started || cat init.log start.log log
            while read command; do
                case "$command" in
                createdb*) as \(programs)/$command ;;
                *) as \(programs)/pg_ctl -D data -l \(folder)/log -w -o "\(options) -k \(folder)" $command ;;
                esac >/dev/null 2>&1
                echo done
            done
            as \(programs)/pg_ctl -D data -m immediate stop >/dev/null 2>&1
            cd / && rm -rf \(folder)
            """
        // Only this process holds the input open.
        process = try ChildProcess("/bin/sh", ["-c", script], input: .pipe, errors: .null)
        let answer = process.output.line()
        guard answer == "started" else {
            process.input.close()
            let rest = String(decoding: process.output.rest(), as: UTF8.self)
            throw CannotStart(description: "\(answer ?? "")\n\(rest)")
        }
    }

    deinit {
        process.input.close()
        // It has a server to stop and a folder to remove before it ends.
        Thread.detachNewThread { [process] in process.wait() }
    }

    private static func options(_ port: UInt16?) -> String {
        "-c fsync=off -c max_connections=200 -c unix_socket_permissions=0777 "
            + (port.map { "-c listen_addresses=127.0.0.1 -p \($0) -c ssl=on" } ?? "-c listen_addresses=''")
    }

    /// Makes the certificate of a server, and another one that has signed nothing.
    private static var makingCertificates: String {
        """
        for name in data/server other; do
            as openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost -keyout $name.key -out $name.crt >>init.log 2>&1
        done
        cp data/server.crt server.crt && chmod a+r server.crt other.crt
        """
    }

    // MARK: - Its databases

    /// An address with tables of its own.
    func address(user: String = "tester", folder: String? = nil) throws -> String {
        let schema = "test_\(Self.lastSchema.add(1, ordering: .relaxed).newValue)"
        let port = port.map { "&port=\($0)" } ?? ""
        let address = "postgresql:///postgres?host=\(folder ?? self.folder)&user=\(user)\(port)"
        _ = try PostgresDatabase(address).execute("CREATE SCHEMA \(name: schema)")
        return address + "&options=-csearch_path%3D\(schema)"
    }

    /// The address of a database of its own. Its observers are not notified of what other tests write.
    func addressOfOwnDatabase() throws -> String {
        let name = "own_\(Self.lastSchema.add(1, ordering: .relaxed).newValue)"
        try control("createdb -h \(folder) -U tester \(name)")
        return "postgresql:///\(name)?host=\(folder)&user=tester"
    }

    /// A database with tables of its own.
    func database(
        _ change: (inout PostgresDatabase.Configuration) -> Void = { _ in }
    ) throws -> PostgresDatabase {
        var configuration = PostgresDatabase.Configuration()
        // Other tests may keep all threads busy for long.
        configuration.patience = .seconds(60)
        change(&configuration)
        return try PostgresDatabase(address(), configuration: configuration)
    }

    /// Changes a setting of the server.
    func set(_ setting: String, to value: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/data/postgresql.conf"))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data("\(setting) = '\(value)'\n".utf8))
        try control("reload")
    }

    /// Stops the server at once, as if its machine had failed, and starts it.
    func restart() throws {
        try control("restart -m immediate")
    }

    /// Has `pg_ctl`, or `createdb`, do something, and waits until it is done.
    func control(_ command: String) throws {
        try controlling.withLock { _ in
            try process.input.write("\(command)\n")
            _ = process.output.line()
        }
    }
}
