/// A change that is shown before the server has answered it.
///
///     struct Favourite: OptimisticChange, Equatable {
///         let isFavourite: Bool
///
///         func apply(to status: inout Status?) { status?.isFavourite = isFavourite }
///     }
///
/// The result of `apply` must depend only on the value that it gets. Applying a change to a value that contains it
/// already must change nothing: an answer that shows the change can arrive before the request of the change itself has
/// ended.
public protocol OptimisticChange<Value>: Sendable {
    /// The values that the change applies to.
    associatedtype Value: Sendable

    /// Changes a value.
    func apply(to value: inout Value)
}

/// A value as the server has it, and the changes that are shown on top of it until the server has answered them.
///
///     var status = Optimistic<Favourite, Int>(truth: status)
///     status.apply(Favourite(isFavourite: true), id: 1)    // status.value is a favourite now
///     status.rollBack(1)                                   // and now it is what it was before
///
/// The laws, which hold for any number of changes in any interleaving:
///
/// 1. `value` is `truth` with all changes applied in the order in which they were made.
/// 2. Confirming a change does not alter `value`. The change moves into `truth`, after those that were made before it.
/// 3. Rolling a change back leaves all others in place: `value` is as if it had never been made.
/// 4. A new truth is placed below the changes, and never hides one of them.
///
/// It is a plain value: keep it in the state of a loop, or anywhere else.
public struct Optimistic<Change: OptimisticChange, ID: Hashable & Sendable>: Sendable {
    /// The values that the changes apply to.
    public typealias Value = Change.Value

    /// The value without the changes that are not yet confirmed.
    public private(set) var truth: Value
    /// The changes on top of the truth, in the order in which they were made.
    private var layers: [Layer] = []
    /// The truth with the layers on top of it; `nil` without layers, so that the truth has no second owner.
    private var overlay: Value?

    // No key paths here: in generic code each use of one decodes its types again, which costs microseconds.
    fileprivate struct Layer: Sendable {
        let id: ID
        let change: Change
        /// True if the change is confirmed, and waits only for changes that were made before it.
        var isConfirmed = false
    }

    /// Makes a value without changes on top of it.
    public init(truth: Value) { self.truth = truth }

    /// The value with all changes on top of it, for a screen to show.
    public var value: Value { overlay ?? truth }

    /// The ids of the changes that are neither confirmed nor rolled back, in the order in which they were made.
    public var pendingIDs: [ID] { layers.compactMap { $0.isConfirmed ? nil : $0.id } }

    /// True if a change waits to be confirmed or rolled back.
    public var hasPendingChanges: Bool { !layers.isEmpty }

    /// The changes with an id that are neither confirmed nor rolled back.
    @usableFromInline
    func pendingChanges(_ id: ID) -> [Change] { layers.compactMap { $0.id == id && !$0.isConfirmed ? $0.change : nil } }

    // MARK: - Changes

    /// Applies a change on top of all others.
    ///
    /// Several changes may have the same id; they are confirmed and rolled back together.
    public mutating func apply(_ change: Change, id: ID) {
        layers.append(Layer(id: id, change: change))
        var value = overlay.take() ?? truth
        change.apply(to: &value)
        overlay = value
    }

    /// Makes a change part of the truth.
    ///
    /// - Returns: `true` if the change was pending.
    @discardableResult
    public mutating func confirm(_ id: ID) -> Bool {
        guard markConfirmed(id) else { return false }
        if let value = overlay, layers.allSatisfy({ $0.isConfirmed }) {
            // The shown value contains all of them already.
            (truth, layers, overlay) = (value, [], nil)
        } else {
            settle()
        }
        return true
    }

    /// Makes the server's answer to a change the truth. Changes that the answer may not contain stay on top of it.
    ///
    /// The answer becomes the truth also if the change is not pending.
    ///
    /// - Returns: `true` if the change was pending.
    @discardableResult
    public mutating func confirm(_ id: ID, answer: Value) -> Bool {
        truth = answer
        let wasPending = markConfirmed(id)
        // The answer contains this change as the server made it, which may differ from the request.
        while let first = layers.first, first.id == id { layers.removeFirst() }
        settle()
        refresh()
        return wasPending
    }

    /// Removes a change.
    ///
    /// - Returns: `true` if the change was pending.
    @discardableResult
    public mutating func rollBack(_ id: ID) -> Bool {
        let count = layers.count
        layers.removeAll { $0.id == id && !$0.isConfirmed }
        guard layers.count < count else { return false }
        settle()
        refresh()
        return true
    }

    // MARK: - Truth

    /// Replaces the truth below the changes.
    public mutating func setTruth(_ truth: Value) {
        self.truth = truth
        refresh()
    }

    /// Changes the truth in place, below the changes.
    public mutating func updateTruth(_ body: (inout Value) -> Void) {
        body(&truth)
        refresh()
    }

    // MARK: - Machinery

    private mutating func markConfirmed(_ id: ID) -> Bool {
        var wasPending = false
        for index in layers.indices where layers[index].id == id && !layers[index].isConfirmed {
            layers[index].isConfirmed = true
            wasPending = true
        }
        return wasPending
    }

    /// Moves the confirmed changes that have nothing unconfirmed before them into the truth.
    private mutating func settle() {
        while let first = layers.first, first.isConfirmed {
            first.change.apply(to: &truth)
            layers.removeFirst()
        }
        if layers.isEmpty { overlay = nil }
    }

    private mutating func refresh() {
        guard !layers.isEmpty else { return overlay = nil }
        var value = truth
        for layer in layers { layer.change.apply(to: &value) }
        overlay = value
    }
}

extension Optimistic.Layer: Equatable where Change: Equatable {}
extension Optimistic: Equatable where Change: Equatable, Change.Value: Equatable {}
