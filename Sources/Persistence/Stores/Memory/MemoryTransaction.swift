/// A ``MemoryStore`` in a transaction, which changes a draft of its objects.
public final class MemoryTransaction<Object: Identifiable & Sendable>: StoreTransaction where Object.ID: Primitive {
    /// The store that the transaction changes.
    public typealias S = MemoryStore<Object>

    private typealias Draft = (table: MemoryTable<Object>, changes: MemoryChanges<Object>)

    private var draft: Draft?
    /// The number of parts that have begun and not ended.
    private var parts = 0

    init(_ table: MemoryTable<Object>, _ changes: MemoryChanges<Object>) { draft = (table, changes) }

    func end() { draft = nil }

    func open() throws(StoreError) -> (table: MemoryTable<Object>, changes: MemoryChanges<Object>) {
        guard let draft else { throw .rolledBack(reason: "the transaction was used after its body had ended") }
        return draft
    }

    /// Changes the draft. Pass `restoring` if `body` may fail after it has changed something; the draft is then
    /// restored.
    private func change<Value>(
        restoring: Bool, _ body: (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        var (table, changes) = try open()
        let before = restoring ? (table: table, mark: changes.mark) : nil
        draft = nil
        defer { draft = (table, changes) }
        do throws(StoreError) {
            return try body(&table, &changes)
        } catch {
            if let before {
                table = before.table
                changes.undo(to: before.mark)
            }
            throw error
        }
    }

    /// Changes the draft by an operation that leaves it as it was if the first object cannot be written.
    private func change(
        _ objects: [Object],
        _ body: (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Void
    ) throws(StoreError) {
        try change(restoring: objects.count > 1, body)
    }

    public func insert(_ objects: [Object]) throws(StoreError) {
        try change(objects) { (table, changes) throws(StoreError) in try table.insert(objects, &changes) }
    }

    public func update(_ objects: [Object]) throws(StoreError) {
        try change(objects) { (table, changes) throws(StoreError) in try table.update(objects, &changes) }
    }

    public func upsert(_ objects: [Object]) throws(StoreError) {
        try change(objects) { (table, changes) throws(StoreError) in try table.upsert(objects, &changes) }
    }

    @discardableResult
    public func delete(ids: [Object.ID]) throws(StoreError) -> Int {
        try change(restoring: false) { (table, changes) throws(StoreError) in table.delete(ids: ids, &changes) }
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) throws(StoreError) -> Int {
        try change(restoring: false) { (table, changes) throws(StoreError) in
            try table.delete(where: condition, &changes)
        }
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) throws(StoreError) -> Int {
        try change(restoring: true) { (table, changes) throws(StoreError) in
            try table.update(where: condition, set: assignments, &changes)
        }
    }

    @discardableResult
    public func merge(_ objects: [Object], where condition: Condition<Object>) throws(StoreError) -> MergeResult<Object>
    {
        try change(restoring: true) { (table, changes) throws(StoreError) in
            try table.merge(objects, where: condition, &changes)
        }
    }

    public func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        let before = try open().table
        let mark = try open().changes.mark
        guard parts < StoreError.maximumNumberOfNestedParts else { throw .tooManyNestedParts }
        parts += 1
        defer { parts -= 1 }
        do throws(StoreError) {
            return try body()
        } catch {
            draft?.changes.undo(to: mark)
            draft?.table = before
            throw error
        }
    }

    public func object(withId id: Object.ID) throws(StoreError) -> Object? { try open().table.object(withId: id) }

    public func execute(_ query: Query<S>) throws(StoreError) -> [Object] { try open().table.execute(query.question) }

    public func count(_ query: Query<S>) throws(StoreError) -> Int { try open().table.count(query.question) }

    public func aggregate(_ aggregate: Aggregate<Object>, of query: Query<S>) throws(StoreError) -> [[PrimitiveValue]] {
        try open().table.aggregate(aggregate, query.question)
    }
}
