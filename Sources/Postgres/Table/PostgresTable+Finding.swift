import Persistence

// Reading by id.

extension PostgresTable {
    func object(withId id: Object.ID, on connection: PostgresConnection) throws(StoreError) -> Object? {
        guard let statement = try findingStatement(id) else { return nil }
        return try objects(of: run(statement.text, statement.parameters, on: connection)).first
    }

    /// Returns the statement that selects the object with an id; nil if there cannot be one.
    func findingStatement(_ id: Object.ID) throws(StoreError) -> PostgresStatement? {
        let id = id.primitiveValue
        // No id that is stored has a zero byte.
        return id.hasZeroByte ? nil : try findingStatement([id])
    }

    /// Returns the statement that selects the objects with some ids, of which none has a zero byte.
    private func findingStatement(_ ids: [PrimitiveValue]) throws(StoreError) -> PostgresStatement {
        var parameters = PostgresParameters()
        if ids.count == 1 {
            try parameters.append(ids[0], as: types[0])
            return PostgresStatement(text: statements.find, parameters: parameters)
        }
        // PostgreSQL would make a new plan for each shorter list, since it expects ten values in a list that it does not know.
        let repeated = repeatElement(ids[0], count: max(0, 10 - ids.count))
        try parameters.append(ids + repeated, of: types[0])
        return PostgresStatement(text: statements.findAny, parameters: parameters)
    }

    // MARK: - For tasks

    func sharedReads(in database: PostgresDatabase) -> SharedReads {
        SharedReads(connections: database.configuration.maximumConnections) { ids in
            await rows(withIds: ids, in: database)
        }
    }

    /// Returns the row with each id, or nil if there is none.
    func rows(
        withIds ids: [PrimitiveValue], in database: PostgresDatabase
    ) async -> [Result<FoundRow?, StoreError>] {
        let result: PostgresResult
        do throws(StoreError) {
            result = try await self.result(findingStatement(ids), in: database)
        } catch {
            return ids.map { _ in .failure(error) }
        }
        if ids.count == 1 { return [.success(FoundRow(firstOf: result))] }
        let canonical = schema.id.attribute.canonical
        var rows: [PrimitiveValue: Int32] = [:]
        for row in 0..<result.rowCount {
            if let id = canonical(result.value(row, 0)) { rows[id] = row }
        }
        // A column of the user's may find ids that are not equal in Swift, such as texts that differ in case.
        if rows.count == result.rowCount, Set(ids).isSuperset(of: rows.keys) {
            return ids.map { .success(rows[$0].map { FoundRow(result: result, row: $0) }) }
        }
        var outcomes: [Result<FoundRow?, StoreError>] = []
        for id in ids { outcomes += await self.rows(withIds: [id], in: database) }
        return outcomes
    }

    func result(
        _ statement: PostgresStatement, in database: PostgresDatabase
    ) async throws(StoreError) -> PostgresResult {
        do throws(StoreError) {
            return try await database.result(of: statement.text, statement.parameters)
        } catch {
            throw error.about(schema.name)
        }
    }
}
