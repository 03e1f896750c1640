import Persistence
import Presentation

extension QuakesViewModel {
    public struct State: Equatable, Sendable {
        /// The quakes of the database, with the deletions on top that it has not carried out yet.
        public internal(set) var catalog = Optimistic<QuakeDeletion, QuakeDeletion>(truth: QuakeCatalog())
        public internal(set) var selection: QuakeSelection
        /// The quakes of the selection.
        public internal(set) var shown = ShownQuakes()
        public internal(set) var chosenId: Quake.ID?

        public internal(set) var reading = Attempt<QuakesError>.underWay()
        public internal(set) var refreshing = Attempt<QuakesError>.idle
        /// The period of the last refresh.
        public internal(set) var period = QuakePeriod.day
        /// How many features of the last feed describe no quake.
        public internal(set) var leftOut = 0
        public internal(set) var failedDeletion: FailedDeletion?

        /// A deletion that the database has refused, and that was taken back.
        public struct FailedDeletion: Equatable, Sendable {
            public var deletion: QuakeDeletion
            public var error: QuakesError
        }

        public init(day: QuakeDay) {
            selection = QuakeSelection(day: day)
        }
    }

    public enum Status: Equatable, Sendable {
        /// All went well, and there are no quakes.
        case empty
        case waiting
        case success
        case failure(QuakesError)
    }
}

/// The quakes of a selection, kept until the quakes or the selection change.
public struct ShownQuakes: Equatable, Sendable, CustomStringConvertible {
    /// For the map, the earliest first.
    public private(set) var unsorted: [Quake] = []
    /// For the list.
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
    /// How many quakes there are.
    public var total: Int { catalog.value.count }

    /// The quake that a person has chosen.
    public var chosen: Quake? { chosenId.flatMap { catalog.value[$0] } }

    /// How things stand; `nil` before anything was asked for.
    public var status: QuakesViewModel.Status? {
        if reading.isUnderWay || refreshing.isUnderWay { return .waiting }
        if let error = reading.failure ?? refreshing.failure ?? failedDeletion?.error { return .failure(error) }
        guard reading.isDone else { return nil }
        return total == 0 ? .empty : .success
    }

    /// Refreshing makes sense only on top of what the database has.
    var canRefresh: Bool { reading.isDone && !refreshing.isUnderWay }
}

// MARK: - Changing

extension QuakesViewModel.State {
    /// Changes which quakes are shown.
    mutating func change(_ body: (inout QuakeSelection) -> Void) {
        let before = selection
        body(&selection)
        if selection != before { select() }
    }

    /// Computes the selections again.
    mutating func select() {
        shown = ShownQuakes(selection, of: catalog.value)
        if chosen == nil { chosenId = nil }
    }

    /// Shows a deletion of quakes that are there. What sets it in motion in the database is a feedback.
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
