/// What the body of a ``MemoryStore``'s transaction works with.
public final class MemoryTransaction<Object: Identifiable & Sendable>: StoreTransaction where Object.ID: Primitive {
    public typealias S = MemoryStore<Object>

    private typealias Draft = (table: MemoryTable<Object>, changes: MemoryChanges<Object>)

    private var draft: Draft?

    init(_ table: MemoryTable<Object>, _ changes: MemoryChanges<Object>) { draft = (table, changes) }

    func end() { draft = nil }

    func open() throws(StoreError) -> (MemoryTable<Object>, MemoryChanges<Object>) {
        guard let draft else { throw .rolledBack(reason: "it was used after its body was done") }
        return draft
    }

    /// Changes the draft, in place unless `body` may fail half way: then what was there before is kept until it is done.
    private func change<Value>(
        restoring: Bool = false,
        _ body: (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        var (table, changes) = try open()
        let before = restoring ? draft : nil
        draft = nil
        defer { draft = (table, changes) }
        do throws(StoreError) {
            return try body(&table, &changes)
        } catch {
            if let before { (table, changes) = before }
            throw error
        }
    }

    public func insert(_ objects: [Object]) throws(StoreError) {
        try change(restoring: objects.count > 1) { (table, changes) throws(StoreError) in
            try table.insert(objects, &changes)
        }
    }

    public func update(_ objects: [Object]) throws(StoreError) {
        try change(restoring: objects.count > 1) { (table, changes) throws(StoreError) in
            try table.update(objects, &changes)
        }
    }

    public func upsert(_ objects: [Object]) throws(StoreError) {
        try change(restoring: objects.count > 1) { (table, changes) throws(StoreError) in
            try table.upsert(objects, &changes)
        }
    }

    public func delete(_ objects: [Object]) throws(StoreError) {
        try change { (table, changes) throws(StoreError) in table.delete(objects, &changes) }
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) throws(StoreError) -> Int {
        try change { (table, changes) throws(StoreError) in
            let objects = try table.execute(Question(condition: condition))
            table.delete(objects, &changes)
            return objects.count
        }
    }

    public func object(withId id: Object.ID) throws(StoreError) -> Object? { try open().0.object(withId: id) }

    public func execute(_ query: Query<S>) throws(StoreError) -> [Object] { try open().0.execute(query.question) }

    public func count(_ query: Query<S>) throws(StoreError) -> Int { try open().0.count(query.question) }
}
