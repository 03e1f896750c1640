import Feedback
import Persistence

// The async forms, which suspend the task while the server works.

extension PostgresStore {
    public func execute(_ query: Query<PostgresStore>) async throws(StoreError) -> [Object] {
        if let id = query.question.soleID(table.schema.ids) {
            guard let id = Object.ID(primitiveValue: id), let object = try await object(withId: id) else { return [] }
            return [object]
        }
        guard let statement = try table.statement(for: query.question) else {
            let producer: SignalProducer<[Object], StoreError> = execute(query)
            return try await producer.value()
        }
        return try table.objects(of: await result(statement))
    }

    public func count(_ query: Query<PostgresStore>) async throws(StoreError) -> Int {
        guard let statement = try table.countingStatement(for: query.question) else {
            let producer: SignalProducer<Int, StoreError> = count(query)
            return try await producer.value()
        }
        return try await result(statement).integer
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? {
        guard let statement = try table.findingStatement(id) else { return nil }
        guard statement.isShort else {
            let producer: SignalProducer<Object?, StoreError> = object(withId: id)
            return try await producer.value()
        }
        try database.checkNotInside()
        // In a list, each value also has its length, of four bytes.
        let row = try await reads.row(
            withId: id.primitiveValue, size: statement.parameters.size + 4
        ) { () throws(StoreError) in
            try FoundRow(firstOf: await table.result(statement, in: database))
        }
        return try row.map { row throws(StoreError) in try table.object(of: row) }
    }

    private func result(_ statement: PostgresStatement) async throws(StoreError) -> PostgresResult {
        try database.checkNotInside()
        return try await table.result(statement, in: database)
    }
}
