/// The key of a list of entities, such as the list that a screen shows.
///
///     enum TimelineKey: ListKey {
///         typealias Target = Status
///
///         case home
///         case account(Account.ID)
///     }
///
/// The cache stores a list separately from its entities. Paging and inserting change the list; a favourite changes an
/// entity.
public protocol ListKey: Hashable, Sendable {
    /// The type of the entities in the list.
    associatedtype Target: Entity
}

/// The known ids of a list, in order: its pages, the gaps between them, and the place where the next page begins.
///
/// It is a plain value. After each change it holds each id only once.
public struct EntityList<ID: Hashable & Sendable>: Hashable, Sendable {
    /// The ids, first to last.
    public private(set) var ids: [ID]
    /// The ids after which some are missing, because a refresh did not reach what was known.
    public private(set) var gaps: Set<ID> = []
    /// The server's cursor for the page after the last id; `nil` at the end of the list.
    public var next: String?

    /// Makes a list of one page. `next` is the server's cursor for the next page.
    public init(_ ids: [ID] = [], next: String? = nil) {
        self.ids = []
        self.next = next
        append(ids)
    }

    init(_ ids: [ID], gaps: Set<ID>, next: String?) {
        self.init(ids, next: next)
        self.gaps = gaps.intersection(self.ids)
    }

    /// True if no id is known.
    public var isEmpty: Bool { ids.isEmpty }

    // MARK: - Pages

    /// Adds a page at the end.
    public mutating func append(_ page: [ID], next: String?) {
        append(page)
        self.next = next
    }

    /// Adds the newest page before the known ids. New ids that the page has after known ones are added after those.
    ///
    /// If the page does not reach the known ids, and there are more new ones after it, a gap is left after it.
    ///
    /// - Parameters:
    ///   - page: The newest ids, in order.
    ///   - hasMore: True if there are more new ids after the page.
    public mutating func prepend(_ page: [ID], hasMore: Bool) {
        insert(page, at: 0, hasMore: hasMore)
    }

    /// Fills the gap after an id with a page, and leaves a gap after the page if it does not reach the other side.
    public mutating func fill(gapAfter id: ID, with page: [ID], hasMore: Bool) {
        guard gaps.remove(id) != nil, let index = ids.firstIndex(of: id) else { return }
        insert(page, at: index + 1, hasMore: hasMore)
    }

    /// Removes an id. A gap after it moves to the id before it.
    public mutating func remove(_ id: ID) {
        guard let index = ids.firstIndex(of: id) else { return }
        ids.remove(at: index)
        if gaps.remove(id) != nil, index > 0 { gaps.insert(ids[index - 1]) }
    }

    // MARK: - Machinery

    // Specialized for the usual ids, since otherwise each hash would look up its type at run time.
    @specialized(where ID == String)
    @specialized(where ID == Int)
    private mutating func append(_ page: [ID]) {
        if ids.isEmpty, Self.isOrdered(page) { return ids = page }
        var known = Set<ID>(minimumCapacity: ids.count + page.count)
        known.formUnion(ids)
        for id in page where known.insert(id).inserted { ids.append(id) }
    }

    /// Returns true if the ids are ASCII text in ascending or descending order, as servers mostly send them; then none
    /// stands twice. Comparing neighbours takes a tenth of the time of hashing all.
    private static func isOrdered(_ page: [ID]) -> Bool {
        // Of other texts, `<` can put a third one between two forms of the same.
        guard let page = page as? [String],
            page.allSatisfy({ $0.utf8.withContiguousStorageIfAvailable(\.isASCII) == true })
        else { return false }
        let pairs = zip(page, page.dropFirst())
        return pairs.allSatisfy { $0 < $1 } || pairs.allSatisfy { $1 < $0 }
    }

    private mutating func insert(_ page: [ID], at index: Int, hasMore: Bool) {
        let places = Dictionary(uniqueKeysWithValues: zip(ids[index...], index...))
        var seen = Set(ids[..<index])
        // The new ids, by the place in front of which they belong.
        var inserted: [Int: [ID]] = [:]
        var run: [ID] = []
        // The place of the last id of the page that is already in the list below the index.
        var last: Int?
        for id in page where seen.insert(id).inserted {
            guard let place = places[id] else {
                run.append(id)
                continue
            }
            inserted[last == nil ? index : place, default: []] += run
            // The page shows that nothing is missing between the two.
            if let last, last + 1 == place { gaps.remove(ids[last]) }
            (run, last) = ([], place)
        }
        let end = last.map { $0 + 1 } ?? index
        inserted[end, default: []] += run
        // The page ends in a gap if it does not meet the list, or goes on in a gap that was there.
        let endsInGap = last.map { !run.isEmpty && gaps.remove(ids[$0]) != nil } ?? !ids.isEmpty
        if endsInGap, hasMore, let before = run.last ?? ids[..<end].last { gaps.insert(before) }
        for place in inserted.keys.sorted().reversed() { ids.insert(contentsOf: inserted[place] ?? [], at: place) }
    }
}
