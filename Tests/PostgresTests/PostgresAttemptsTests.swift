import Persistence
import Testing

@testable import Postgres

@Suite("Repeated attempts to read or write")
struct PostgresAttemptsTests {
    private static let error = StoreError.refused(reason: "no")

    @Test(
        "After each kind of failure there are so many more attempts; then the last error is thrown",
        arguments: [
            (Attempt.lost(error), 5, 3), (.conflict(error), 5, 20), (.outdated(error), 5, 5 + 3),
            (.outdated(error), 0, 1 + 3), (.over(error), 5, 0),
        ])
    func limits(failure: Attempt, connections: Int, count: Int) throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = connections
        var attempts = Attempts(configuration)
        for _ in 0..<count { #expect(try attempts.pause(after: failure) <= .milliseconds(64)) }
        #expect(throws: Self.error) { try attempts.pause(after: failure) }
    }

    @Test("While the server cannot be reached, there are more attempts until the patience is over")
    func patience() throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(3_600)
        var attempts = Attempts(configuration)
        for _ in 0..<100 { #expect(try attempts.pause(after: .unreachable(Self.error)) > .zero) }
        configuration.patience = .zero
        attempts = Attempts(configuration)
        #expect(throws: Self.error) { try attempts.pause(after: .unreachable(Self.error)) }
    }

    @Test("Only a lost connection tells that the others may be lost")
    func losses() throws {
        var attempts = Attempts(PostgresDatabase.Configuration())
        #expect(!attempts.hasLosses)
        _ = try attempts.pause(after: .outdated(Self.error))
        _ = try attempts.pause(after: .conflict(Self.error))
        #expect(!attempts.hasLosses)
        _ = try attempts.pause(after: .lost(Self.error))
        #expect(attempts.hasLosses)
    }
}
