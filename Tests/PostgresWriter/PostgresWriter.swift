// One of the processes that write to a database at the same time, and that the tests kill: adds orders, each counted once.

import Foundation
import Persistence
import Postgres

/// A row whose id is the key of a request, so that a request that is sent again is not done again.
struct Order: Identifiable, Sendable {
    var id: String
    var count: Int

    static let schema = Schema<Order>("orders", Order.init, Column("id", \.id), Column("count", \.count))
}

@main
enum PostgresWriter {
    /// Usage: `PostgresWriter ADDRESS NAME FIRST END`. Prints the number of each order that is kept.
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let first = Int(arguments[3]), let end = Int(arguments[4]) else { exit(2) }
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        do {
            let orders = try await store(at: arguments[1], configuration)
            for number in first..<end {
                try await add("\(arguments[2])-\(number)", to: orders)
                FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(5)
        }
    }

    /// Opens the orders, as soon as the server is there.
    private static func store(
        at address: String, _ configuration: PostgresDatabase.Configuration
    ) async throws(StoreError) -> PostgresStore<Order> {
        while true {
            do throws(StoreError) {
                return try await PostgresStore(
                    Order.schema, in: PostgresDatabase(address, configuration: configuration))
            } catch {
                guard case .unreachable = error else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func add(_ key: String, to orders: PostgresStore<Order>) async throws(StoreError) {
        while true {
            do throws(StoreError) {
                return try await orders.transaction { orders throws(StoreError) in
                    guard try orders.object(withId: key) == nil else { return }
                    try orders.insert([Order(id: key, count: 1)])
                    // The row that all processes change, and one that comes and goes.
                    var total = try orders.object(withId: "total") ?? Order(id: "total", count: 0)
                    total.count += 1
                    try orders.upsert([total])
                    try orders.delete(ids: ["last"])
                    try orders.insert([Order(id: "last", count: total.count)])
                }
            } catch {
                switch error {
                case .conflict, .outcomeUnknown, .unreachable: continue
                default: throw error
                }
            }
        }
    }
}
