import Persistence

// A server that numbers its changes tells which of two of its answers is the later one.

extension OutboxRules {
    /// The number of an object's last change; nil if the server does not number them.
    func number(of object: Object) -> Int? {
        guard isNumbered, let versionColumn else { return nil }
        return schema.columns[versionColumn].attribute.value(in: object).number
    }

    /// The server's object, as it is known here.
    func truth(of id: Object.ID, in rows: some OutboxRows<Object>) throws(StoreError) -> Object? {
        guard let first = try rows.writes(of: entity(id), limit: 1).first else { return try rows.shown(id) }
        return try? schema.object(fromTruth: first.truth)
    }

    /// The object of the answer to a write, or the one that is known below the write if that is later: the answer may have been
    /// given long ago, to another request with the same key.
    ///
    /// If the object is older than the changes that were pulled, a later one may have been pulled and gone: the next pull asks
    /// for what has happened since.
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
