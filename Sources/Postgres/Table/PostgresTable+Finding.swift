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

    func sharedReads(in database: PostgresDatabase) -> SharedReads<Object> {
        SharedReads(connections: database.configuration.maximumConnections) { ids in
            await objects(withIds: ids, in: database)
        }
    }

    /// Returns the object with each id, or nil if there is none.
    private func objects(
        withIds ids: [PrimitiveValue], in database: PostgresDatabase
    ) async -> [Result<Object?, StoreError>] {
        do throws(StoreError) {
            let found = try objects(of: await result(findingStatement(ids), in: database))
            if ids.count == 1 { return [.success(found.first)] }
            let objects = Dictionary(found.map { ($0.id.primitiveValue, $0) }) { first, _ in first }
            // A column of the user's may find ids that are not equal in Swift, such as those of a type that ignores case.
            if objects.count == found.count, Set(ids).isSuperset(of: objects.keys) {
                return ids.map { .success(objects[$0]) }
            }
        } catch {
            // A row that cannot be read is the failure of one read only.
            guard case .unreadable = error, ids.count > 1 else { return ids.map { _ in .failure(error) } }
        }
        var outcomes: [Result<Object?, StoreError>] = []
        for id in ids { outcomes += await objects(withIds: [id], in: database) }
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
