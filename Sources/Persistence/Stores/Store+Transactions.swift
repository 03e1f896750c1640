import Feedback

extension TransactionalStore {
    /// Runs `body` as a transaction, which fails with whatever `body` throws: also with an error of your own, for a change of mind.
    ///
    ///     try await movies.transaction { movies in
    ///         guard try movies.object(withId: movie.id) != nil else { throw ApiError.notFound }
    ///         try movies.delete(where: \.budget == 0)
    ///         try movies.update([movie])
    ///     }
    ///
    /// Its changes are kept if it returns, and none of them if it throws. In a function that throws only ``StoreError``, begin
    /// the body with `{ movies throws(StoreError) in`.
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        let failure = Locked<(any Error)?>(nil)
        do throws(StoreError) {
            return try await transaction { transaction throws(StoreError) in
                // A store may run the body again.
                failure.withLock { $0 = nil }
                do {
                    return try body(transaction)
                } catch let error as StoreError {
                    throw error
                } catch {
                    failure.withLock { $0 = error }
                    throw .rolledBack(reason: "\(error)")
                }
            }
        } catch {
            throw failure.withLock { $0 } ?? error
        }
    }
}
