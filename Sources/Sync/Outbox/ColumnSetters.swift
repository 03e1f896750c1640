import Feedback

/// The last of the waiting writes to an object that sets each column.
///
/// With it, a new object of the server is placed below the waiting writes without reading all of them again: the shown
/// object keeps the columns that a waiting write sets, and gets the others from the server.
///
/// A write keeps the columns that it sets while there is an earlier one of the same object: only the first write is based
/// on another object, or edited. The columns of the first one do not matter here, since it is the one that was done. So a
/// write is read once.
struct ColumnSetters: Equatable, Sendable {
    /// The number of the last write that was noted.
    private(set) var last = Int.min
    private var columns: [Int?]
    /// The last deletion.
    private var deletion = Int.min
    /// The last write that cannot be read.
    private var unreadable = Int.min

    init(columns count: Int) { columns = Array(repeating: nil, count: count) }

    /// Notes the next write.
    ///
    /// - Parameters:
    ///   - set: The columns that it sets; nil if it cannot be read.
    mutating func note(_ number: Int, setting set: [Bool]?, isDeletion: Bool) {
        last = number
        guard let set else { return unreadable = number }
        if isDeletion { deletion = number }
        for index in columns.indices where set[index] { columns[index] = number }
    }

    /// Returns the effect of the writes after a number.
    func effect(after number: Int) -> Effect {
        if unreadable > number { return .unknown }
        if deletion > number { return .replaced }
        return .columns(Set(columns.indices.filter { columns[$0].map { $0 > number } ?? false }))
    }

    enum Effect: Equatable {
        /// One of the writes cannot be read.
        case unknown
        /// One of them deletes the object, so nothing of it is shown.
        case replaced
        /// They set these columns.
        case columns(Set<Int>)
    }
}

/// The column setters of the objects of a table, as far as they were needed.
final class KnownSetters: Sendable {
    private let known = Locked<[String: ColumnSetters]>([:])

    subscript(entity: String) -> ColumnSetters? { known.withLock { $0[entity] } }

    func note(_ new: ColumnSetters?, of entity: String) {
        known.withLock { known in
            if new != nil || !known.isEmpty { known[entity] = new }
        }
    }
}
