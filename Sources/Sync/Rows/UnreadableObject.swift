import Feedback
import Persistence

/// An object of a server that this version of the program cannot read, for example since it does not know one of its
/// values.
public struct UnreadableObject: Identifiable, Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The id of the object as text, as PostgreSQL writes it.
    public let objectID: String
    /// The column that cannot be read.
    public let column: String
    /// The value that was found there, in words.
    public let found: String

    /// The table and the id of the object.
    public var id: String { "\(table)/\(objectID)" }

    /// The error with which a read of this object fails.
    public var error: StoreError { .unreadable(table: table, id: objectID, column: column, found: found) }

    /// The error of a write that the server has done, and answered with this object.
    var answerError: StoreError {
        .unreadableAnswer(table: table, id: objectID, column: column, found: found)
    }

    /// Makes an unreadable object, for previews and tests.
    public init(table: String, objectID: String, column: String, found: String) {
        self.table = table
        self.objectID = objectID
        self.column = column
        self.found = found
    }
}

extension Primitive {
    /// The id of an object that cannot be read; nil if the id is not of this type.
    init?(of object: UnreadableObject, kind: PrimitiveKind) {
        guard let value = PrimitiveValue(postgresText: object.objectID, kind: kind) else { return nil }
        self.init(primitiveValue: value)
    }
}

/// The answer of a store to a query, without the objects that cannot be read.
struct ReadableAnswer<Object: Sendable>: Sendable {
    var objects: [Object]
    var leftOut: [UnreadableObject] = []
    /// `true` if there are other objects that can be read, and that the query does not ask for.
    var hasReadable = false

    /// Throws if none of the objects can be read: the schema probably does not fit the server's table.
    func check() throws(StoreError) {
        if objects.isEmpty, !hasReadable, let object = leftOut.first { throw object.error }
    }
}

/// A store that can leave out objects that it cannot read, instead of failing.
protocol LenientStore<Object>: Store {
    /// Returns the objects that match. A page has as many of them as if there were no others.
    func readable(_ query: Query<Self>) async throws(StoreError) -> ReadableAnswer<Object>

    /// Splits ids into lists that a query can hold, without those that no query can hold.
    ///
    /// - Parameter count: The greatest number of ids in a list.
    func batches(of ids: [Object.ID], count: Int) -> [[Object.ID]]
}

extension AnyStore {
    /// Returns the objects that match, without those that cannot be read, if the store can do that.
    func readable(_ query: Query<AnyStore>) async throws(StoreError) -> ReadableAnswer<Object> {
        func ask(_ store: some LenientStore<Object>) async throws(StoreError) -> ReadableAnswer<Object> {
            try await store.readable(query.asked(of: store))
        }
        guard let store = base as? any LenientStore<Object> else {
            return ReadableAnswer(objects: try await execute(query))
        }
        return try await ask(store)
    }

    /// Splits ids into lists that a query can hold; none if the store cannot leave out objects.
    func batches(of ids: [Object.ID], count: Int) -> [[Object.ID]] {
        (base as? any LenientStore<Object>)?.batches(of: ids, count: count) ?? []
    }
}
