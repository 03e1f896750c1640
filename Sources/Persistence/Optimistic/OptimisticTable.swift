/// Objects by id, each with the changes that are shown on top of it until the server has answered them.
///
///     struct Deletion: OptimisticChange, Equatable {
///         func apply(to quake: inout Quake?) { quake = nil }
///     }
///
///     var quakes = OptimisticTable<Quake, Deletion, Int>(truth: loaded)
///     quakes.apply(Deletion(), to: quakes.values.keys, id: 1)   // quakes.values is empty now
///     quakes.rollBack(1)                                        // all of them are back
///
/// A change gets an optional, so inserting and deleting are changes like any other. One change may concern many
/// objects; it is confirmed or rolled back for all of them together. The laws of ``Optimistic`` hold for each object.
///
/// The cost of a call depends on the number of objects that it concerns, not on the size of the table. A change or
/// rollback returns the ids of the objects that it concerns, so that a sorted list, for example, can be updated.
public struct OptimisticTable<
    Object: Identifiable & Sendable, Change: OptimisticChange, ID: Hashable & Sendable
>: Sendable where Object.ID: Sendable, Change.Value == Object? {
    /// The objects with all changes on top of them, for a screen to show.
    public private(set) var values: [Object.ID: Object]
    /// The objects that have changes on top of them.
    private var pending: [Object.ID: Optimistic<Change, ID>] = [:]
    /// The objects that each pending change concerns.
    private var concerned: [ID: [Object.ID]] = [:]

    /// Makes an empty table.
    public init() { values = [:] }

    /// Makes a table of objects without changes. If two have the same id, the later one counts.
    public init(truth: some Sequence<Object>) {
        values = Dictionary(truth.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// The object with this id, with all changes on top of it; nil if there is none.
    public subscript(id: Object.ID) -> Object? { values[id] }

    // MARK: - Changes

    /// Applies a change on top of all others of these objects.
    @discardableResult
    public mutating func apply(_ change: Change, to ids: some Sequence<Object.ID>, id: ID) -> [Object.ID] {
        let ids = Array(ids)
        concerned[id, default: []] += ids
        for object in ids {
            pending[object, default: Optimistic(truth: values[object])].apply(change, id: id)
            show(object)
        }
        return ids
    }

    /// Makes a change part of the truth. The shown values stay as they are.
    ///
    /// - Returns: `true` if the change was pending.
    @discardableResult
    public mutating func confirm(_ id: ID) -> Bool {
        guard let ids = concerned.removeValue(forKey: id) else { return false }
        for object in ids {
            pending[object]?.confirm(id)
            forgetIfSettled(object)
        }
        return true
    }

    /// Removes a change.
    @discardableResult
    public mutating func rollBack(_ id: ID) -> [Object.ID] {
        guard let ids = concerned.removeValue(forKey: id) else { return [] }
        for object in ids {
            pending[object]?.rollBack(id)
            show(object)
            forgetIfSettled(object)
        }
        return ids
    }

    /// The ids of the changes that are neither confirmed nor rolled back.
    public var pendingIDs: Set<ID> { Set(concerned.keys) }

    // MARK: - Truth

    /// The object without the changes that are not yet confirmed.
    public func truth(of id: Object.ID) -> Object? {
        if let optimistic = pending[id] { optimistic.truth } else { values[id] }
    }

    /// Replaces the object below the changes, or removes it there.
    public mutating func setTruth(_ object: Object?, of id: Object.ID) {
        guard pending[id] != nil else { return values[id] = object }
        pending[id]?.setTruth(object)
        show(id)
    }

    /// Replaces the objects below the changes.
    public mutating func setTruth(_ objects: some Sequence<Object>) {
        for object in objects { setTruth(object, of: object.id) }
    }

    // MARK: - Machinery

    private mutating func show(_ id: Object.ID) {
        if let optimistic = pending[id] { values[id] = optimistic.value }
    }

    private mutating func forgetIfSettled(_ id: Object.ID) {
        if pending[id]?.hasPendingChanges == false { pending[id] = nil }
    }
}

extension OptimisticTable: Equatable where Object: Equatable, Change: Equatable {}
