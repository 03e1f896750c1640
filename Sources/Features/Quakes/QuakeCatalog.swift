import Foundation

/// The quakes that are known, in the order of their times.
public struct QuakeCatalog: Equatable, Sendable {
    /// By time, those of the same time by id.
    private var quakes: [Quake] = []
    /// The time of each quake, by which it is found among the others.
    private var times: [Quake.ID: Date] = [:]

    public init() {}

    /// - Parameter quakes: In any order; of several with the same id the last one counts.
    public init(_ quakes: some Sequence<Quake>) {
        let unique = Dictionary(quakes.lazy.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        times = unique.mapValues(\.time)
        self.quakes = unique.values.sorted(by: Self.isOrdered)
    }

    public static func == (a: Self, b: Self) -> Bool { a.quakes == b.quakes }

    private static func isOrdered(_ a: Quake, _ b: Quake) -> Bool {
        a.time == b.time ? a.id < b.id : a.time < b.time
    }
}

// MARK: - Reading

extension QuakeCatalog {
    public var count: Int { quakes.count }
    public var isEmpty: Bool { quakes.isEmpty }

    /// All quakes, the earliest first.
    public var all: [Quake] { quakes }

    /// The quake with an id.
    public subscript(id: Quake.ID) -> Quake? { place(of: id).map { quakes[$0] } }

    /// The quakes of a span of time, the earliest first. Finding them takes logarithmic time.
    public func quakes(during span: Range<Date>) -> ArraySlice<Quake> {
        quakes[partition { $0.time >= span.lowerBound }..<partition { $0.time >= span.upperBound }]
    }

    private func place(of id: Quake.ID) -> Int? {
        guard let time = times[id] else { return nil }
        let place = partition { $0.time > time || ($0.time == time && $0.id >= id) }
        return place < quakes.count && quakes[place].id == id ? place : nil
    }

    /// The place of the first quake that `belongs` to the second part.
    private func partition(_ belongs: (Quake) -> Bool) -> Int {
        quakes.withUnsafeBufferPointer { quakes in
            var (low, high) = (0, quakes.count)
            while low < high {
                let middle = low + (high - low) / 2
                if belongs(quakes[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }
}

// MARK: - Changing

extension QuakeCatalog {
    /// Removes the quake with an id, if there is one.
    public mutating func remove(_ id: Quake.ID) {
        guard let place = place(of: id) else { return }
        quakes.remove(at: place)
        times[id] = nil
    }

    public mutating func removeAll() {
        quakes = []
        times = [:]
    }

    /// Applies changes to all quakes in one pass.
    public mutating func apply(_ changes: QuakeChanges) {
        guard !changes.isEmpty else { return }
        let added = (changes.inserted + changes.updated).sorted(by: Self.isOrdered)
        let gone = (changes.deleted + added).compactMap { place(of: $0.id) }.sorted()
        for quake in changes.deleted { times[quake.id] = nil }
        for quake in added { times[quake.id] = quake.time }
        quakes = merged(added, without: gone)
    }

    /// The quakes without those at some places, and with others among them.
    private func merged(_ added: [Quake], without gone: [Int]) -> [Quake] {
        var merged: [Quake] = []
        merged.reserveCapacity(quakes.count - gone.count + added.count)
        var (start, next) = (0, 0)
        // Between two places at which something changes, whole stretches are copied.
        func copy(to end: Int) {
            while next < gone.count, gone[next] < end {
                if start <= gone[next] {
                    merged += quakes[start..<gone[next]]
                    start = gone[next] + 1
                }
                next += 1
            }
            if start < end {
                merged += quakes[start..<end]
                start = end
            }
        }
        for quake in added {
            copy(to: partition { Self.isOrdered(quake, $0) })
            merged.append(quake)
        }
        copy(to: quakes.count)
        return merged
    }
}
