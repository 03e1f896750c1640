import Persistence

/// A write to a store of samples.
enum RandomSampleWrite<ID: RandomID> {
    case insert([Sample<ID>])
    case update([Sample<ID>])
    case upsert([Sample<ID>])
    case delete([ID])
    case deleteWhere(Condition<Sample<ID>>)
    case updateWhere(Condition<Sample<ID>>, [Assignment<Sample<ID>>])
    case merge([Sample<ID>], Condition<Sample<ID>>)

    /// The result: how many objects were written, or which ones, or an error.
    struct Outcome: Equatable {
        var count = 0
        var ids: [[ID]] = []
        var error: StoreError?

        static func failure(_ error: StoreError) -> Outcome {
            // Each store gives its own reason.
            if case .constraint = error { return Outcome(error: .constraint(reason: "")) }
            return Outcome(error: error)
        }
    }

    /// Does the write.
    func perform<S: TransactionalStore>(on store: S) -> Outcome where S.Object == Sample<ID> {
        do throws(StoreError) {
            switch self {
            case .insert(let objects): return Outcome(ids: [try store.insert(objects).values()[0].map(\.id)])
            case .update(let objects): return Outcome(ids: [try store.update(objects).values()[0].map(\.id)])
            case .upsert(let objects): return Outcome(ids: [try store.upsert(objects).values()[0].map(\.id)])
            case .delete(let ids): return Outcome(count: try store.delete(ids: ids).values()[0])
            case .deleteWhere(let condition): return Outcome(count: try store.delete(where: condition).values()[0])
            case .updateWhere(let condition, let assignments):
                return Outcome(count: try store.update(where: condition, set: assignments).values()[0])
            case .merge(let objects, let condition):
                let result = try store.merge(objects, where: condition).values()[0]
                return Outcome(ids: [result.inserted, result.updated, result.deleted].map { $0.map(\.id) })
            }
        } catch {
            return .failure(error)
        }
    }
}

extension RandomSampleWrite {
    /// Does the write in a transaction.
    func perform<Transaction: StoreTransaction>(in transaction: Transaction) -> Outcome
    where Transaction.S.Object == Sample<ID> {
        do throws(StoreError) {
            switch self {
            case .insert(let objects): try transaction.insert(objects)
            case .update(let objects): try transaction.update(objects)
            case .upsert(let objects): try transaction.upsert(objects)
            case .delete(let ids): return Outcome(count: try transaction.delete(ids: ids))
            case .deleteWhere(let condition): return Outcome(count: try transaction.delete(where: condition))
            case .updateWhere(let condition, let assignments):
                return Outcome(count: try transaction.update(where: condition, set: assignments))
            case .merge(let objects, let condition):
                let result = try transaction.merge(objects, where: condition)
                return Outcome(ids: [result.inserted, result.updated, result.deleted].map { $0.map(\.id) })
            }
            return Outcome()
        } catch {
            return .failure(error)
        }
    }
}

extension RandomSamples {
    mutating func write() -> RandomSampleWrite<ID> {
        let few = (0..<Int.random(in: 0...3, using: &self)).map { _ in object() }
        return switch Int.random(in: 0..<8, using: &self) {
        case 0: .insert(few)
        case 1: .update(few)
        case 2: .delete(few.map(\.id))
        case 3: .deleteWhere(condition(depth: 1) && condition(depth: 1))
        case 4: .updateWhere(condition(depth: 1), assignments())
        case 5: .merge(few, condition(depth: 1))
        default: .upsert((0..<Int.random(in: 1...6, using: &self)).map { _ in object() })
        }
    }
}
