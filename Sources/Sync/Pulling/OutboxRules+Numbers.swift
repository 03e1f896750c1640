import Persistence

// If a server numbers its changes, the numbers show which of two answers is the later one.

extension OutboxRules {
    /// Returns the number of an object's last change; nil if the server does not number changes.
    func number(of object: Object) -> Int? {
        guard isNumbered, let versionColumn else { return nil }
        return schema.columns[versionColumn].attribute.value(in: object).number
    }

    /// Returns the last known object of the server.
    func truth(of id: Object.ID, in rows: some OutboxRows<Object>) throws(StoreError) -> Object? {
        guard let first = try rows.writes(of: entity(id), limit: 1).first else { return try rows.shown(id) }
        return try? schema.object(fromTruth: first.truth)
    }

    /// Returns the object of the answer to a write, or the known one below the write if that is later: the answer may
    /// be an old one, to another request with the same key.
    ///
    /// If the object is older than the changes that were pulled, a later change may have been pulled and replaced. So
    /// the next pull asks for the changes since then.
    func later(_ answer: Object?, or row: OutboxRow, in rows: some OutboxRows<Object>) throws(StoreError) -> Object? {
        guard isNumbered else { return answer }
        let answered = answer.flatMap(number)
        if let answered { try rows.pullAgain(after: answered) }
        guard let truth = try? schema.object(fromTruth: row.truth), let known = number(of: truth),
            let number = answered ?? (try? write(row))?.version?.number
        else { return answer }
        return number < known ? truth : answer
    }
}

extension PrimitiveValue {
    fileprivate var number: Int? {
        if case let .integer(number) = self { Int(exactly: number) } else { nil }
    }
}
