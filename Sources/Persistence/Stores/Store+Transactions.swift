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

extension StoreTransaction {
    /// Runs a part of the transaction, which fails with whatever `body` throws: also with an error of your own.
    ///
    /// If `body` throws, its changes are undone, and the transaction can go on. In a function that throws only ``StoreError``,
    /// begin the body with `{ () throws(StoreError) in`.
    public func withSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
        var failure: (any Error)?
        do throws(StoreError) {
            return try withSavepoint { () throws(StoreError) in
                do {
                    return try body()
                } catch let error as StoreError {
                    throw error
                } catch {
                    failure = error
                    throw .rolledBack(reason: "\(error)")
                }
            }
        } catch {
            throw failure ?? error
        }
    }
}

extension StoreError {
    /// The greatest number of parts of a transaction within each other. Each needs space on the stack of the calling thread.
    package static var maximumNumberOfNestedParts: Int { 500 }

    /// The error of a part that would be within too many others.
    package static var tooManyNestedParts: StoreError {
        .refused(
            reason:
                "the parts of a transaction are nested more than \(maximumNumberOfNestedParts) deep; run them one "
                + "after the other")
    }
}
