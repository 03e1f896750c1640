// One of the processes that start or write at the same time, and that the tests kill: migrates a database, or adds orders, each
// counted once.

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
    /// Usage: `PostgresWriter ADDRESS NAME` brings the database to the newest version, adds one order, and prints "done".
    /// `PostgresWriter ADDRESS NAME FIRST END` adds orders, and prints the number of each one that is kept.
    static func main() async {
        let arguments = CommandLine.arguments
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        do {
            switch (arguments.count, numbers.count) {
            case (3, 0): try await migrate(arguments[1], as: arguments[2])
            case (5, 2): try await addOrders(numbers[0]..<numbers[1], to: arguments[1], as: arguments[2])
            default: exit(2)
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(5)
        }
    }

    private static func migrate(_ address: String, as name: String) async throws(StoreError) {
        let migrations = [Migration(to: 2, "UPDATE orders SET count = count + 100")]
        let orders = try await PostgresStore(
            Order.schema, in: PostgresDatabase(address, migrations: migrations))
        try await orders.insert(Order(id: name, count: 1))
        tell("done")
    }

    private static func addOrders(_ numbers: Range<Int>, to address: String, as name: String) async throws(StoreError) {
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        let orders = try await store(at: address, configuration)
        for number in numbers {
            try await add("\(name)-\(number)", to: orders)
            tell("\(number)")
        }
    }

    private static func tell(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

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
