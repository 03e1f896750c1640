import Foundation
import Persistence
import Postgres
import Testing

@Suite("Encrypted connections to PostgreSQL", .serialized)
struct PostgresEncryptionTests {
    /// A server that takes clients with TLS only, and its port.
    private func withServer(_ body: (TestServer, _ port: UInt16) throws -> Void) throws {
        _ = try TestServer.running()
        var last: any Error = TestServer.CannotStart(description: "there is no port")
        for _ in 0..<5 {
            // Another program may take the port before the server does.
            let port = UInt16.random(in: 20_000..<32_000)
            do {
                let server = try TestServer(encryptedAt: port)
                return try body(server, port)
            } catch let error as TestServer.CannotStart {
                last = error
            }
        }
        throw last
    }

    private func address(_ port: UInt16, _ options: String, host: String = "localhost") -> String {
        "postgresql://tester@\(host):\(port)/postgres?hostaddr=127.0.0.1&\(options)"
    }

    private func refusal(of address: String) -> String? {
        do throws(StoreError) {
            _ = try PostgresDatabase(address)
            return nil
        } catch {
            guard case .refused = error else { return "not as a refusal: \(error)" }
            return "\(error)"
        }
    }

    @Test(
        "A certificate that the root has signed is trusted; another root, another host and no encryption are refused in a sentence",
        .onOwnThread)
    func certificates() throws {
        try withServer { server, port in
            let trusted = "sslmode=verify-full&sslrootcert=\(server.folder)/server.crt"
            let database = try PostgresDatabase(address(port, trusted))
            #expect(
                try database.rows("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [[.bool(true)]])
            let films = try PostgresStore(Film.schema, in: database)
            try films.insert(.fixture(id: 1)).get()
            #expect(try films.all().result().get() == [.fixture(id: 1)])

            let wrong = try #require(
                refusal(of: address(port, "sslmode=verify-full&sslrootcert=\(server.folder)/other.crt")))
            #expect(wrong.hasPrefix("The store refused: ") && wrong.contains("certificate verify failed"), "\(wrong)")
            let missing = try #require(refusal(of: address(port, "sslmode=verify-full&sslrootcert=/nonexistent")))
            #expect(missing.contains("/nonexistent"), "\(missing)")
            let elsewhere = try #require(refusal(of: address(port, trusted, host: "db.example.org")))
            #expect(elsewhere.contains("db.example.org"), "\(elsewhere)")
            let plain = try #require(refusal(of: address(port, "sslmode=disable")))
            #expect(plain.contains("no encryption"), "\(plain)")
            for text in [wrong, missing, elsewhere, plain] {
                #expect(text.hasSuffix(".") && !text.contains("\n"), "\(text)")
            }
        }
    }
}
