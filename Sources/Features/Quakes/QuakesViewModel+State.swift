import Persistence
import Presentation
import Sync

extension QuakesViewModel {
    public struct State: Equatable, Sendable {
        /// The quakes in the database, with the deletions that are not yet carried out on top.
        public internal(set) var catalog = Optimistic<QuakeDeletion, QuakeDeletion>(truth: QuakeCatalog())
        public internal(set) var selection: QuakeSelection
        /// The quakes that match the selection.
        public internal(set) var shown = ShownQuakes()
        public internal(set) var chosenId: Quake.ID?

        public internal(set) var reading = Attempt<DataError>.underWay()
        public internal(set) var refreshing = Attempt<DataError>.idle
        /// The period of the last refresh.
        public internal(set) var period = QuakePeriod.day
        private var leftOutOfFeeds: [QuakePeriod: Int] = [:]
        public internal(set) var failedDeletion: FailedDeletion?

        /// A deletion that failed in the database and was rolled back.
        public struct FailedDeletion: Equatable, Sendable {
            public var deletion: QuakeDeletion
            public var error: DataError
        }

        public init(day: QuakeDay) {
            selection = QuakeSelection(day: day)
        }
    }

    public enum Status: Equatable, Sendable {
        /// Nothing failed, and there are no quakes.
        case empty
        case waiting
        case success
        case failure(DataError)
    }
}

/// The quakes that match a selection, computed when the quakes or the selection change.
public struct ShownQuakes: Equatable, Sendable, CustomStringConvertible {
    /// The quakes for the map, the earliest first.
    public private(set) var unsorted: [Quake] = []
    /// The quakes for the list, sorted by the selection.
    public private(set) var sorted: [Quake] = []

    init() {}

    init(_ selection: QuakeSelection, of catalog: QuakeCatalog) {
        unsorted = selection.unsorted(catalog)
        sort(by: selection)
    }

    mutating func sort(by selection: QuakeSelection) { sorted = selection.sorted(unsorted) }

    public var description: String { sorted.count.counting("quake", "quakes") }
}

// MARK: - Selections

extension QuakesViewModel.State {
    /// The number of quakes.
    public var total: Int { catalog.value.count }

    /// The number of features in the last feed that could not be read as a quake.
    public internal(set) var leftOut: Int {
        get { leftOutOfFeeds[period] ?? 0 }
        set { leftOutOfFeeds[period] = newValue }
    }

    /// The quake that a person has chosen. It stays chosen while the selection does not show it.
    public var chosen: Quake? { chosenId.flatMap { catalog.value[$0] } }

    /// `true` if the chosen quake is on the screen, so that the person sees what a deletion deletes.
    var showsChosen: Bool { chosenId != nil && shown.unsorted.contains { $0.id == chosenId } }

    /// The status of the last operation; `nil` before the first one.
    public var status: QuakesViewModel.Status? {
        if reading.isUnderWay || refreshing.isUnderWay { return .waiting }
        if let error = reading.failure ?? refreshing.failure ?? failedDeletion?.error { return .failure(error) }
        guard reading.isDone else { return nil }
        return total == 0 ? .empty : .success
    }

    /// A refresh needs the quakes of the database, to which its changes are applied.
    var canRefresh: Bool { reading.isDone && !refreshing.isUnderWay }
}

// MARK: - Changing

extension QuakesViewModel.State {
    /// Changes the selection, and finds its quakes if it differs.
    mutating func change(_ body: (inout QuakeSelection) -> Void) {
        let before = selection
        body(&selection)
        if selection != before { select() }
    }

    /// Finds the quakes of the selection.
    mutating func select() {
        shown = ShownQuakes(selection, of: catalog.value)
        if chosen == nil { chosenId = nil }
    }

    /// Shows a deletion, if there is something to delete. A feedback then carries it out in the database.
    mutating func delete(_ deletion: QuakeDeletion) {
        failedDeletion = nil
        switch deletion {
        case let .quake(id): guard catalog.value[id] != nil else { return }
        case .all: guard total > 0 else { return }
        }
        catalog.apply(deletion, id: deletion)
        select()
    }
}
