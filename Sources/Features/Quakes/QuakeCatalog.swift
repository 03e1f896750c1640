import Foundation
import Presentation

/// A collection of quakes, sorted by time.
///
/// The quakes are stored in parts, one for each day in UTC. A change to a copy of a catalog copies only the parts that
/// it concerns, and the quakes of a day are found without looking at others.
public struct QuakeCatalog: Equatable, Sendable {
    /// The quakes of each day, sorted by time and then by id.
    private var parts: [Int: [Quake]] = [:]
    private var times = QuakeTimes()
    public private(set) var count = 0

    public init() {}

    /// - Parameter quakes: Quakes in any order. If several have the same id, the last one counts.
    public init(_ quakes: some Sequence<Quake>) {
        for quake in quakes {
            if let time = times.update(quake.time, of: quake.id) {
                parts[Self.part(of: time)]?.removeAll { $0.id == quake.id }
                count -= 1
            }
            parts[Self.part(of: quake.time), default: []].append(quake)
            count += 1
        }
        for part in parts.keys { parts[part]?.sort(by: Self.isOrdered) }
    }

    public static func == (a: Self, b: Self) -> Bool { a.count == b.count && a.parts == b.parts }

    /// The day of a time. A database can hold any number as a time: those beyond all calendars share two parts.
    private static func part(of time: Date) -> Int {
        Int(min(1e12, max(-1e12, (time.timeIntervalSince1970 / 86_400).rounded(.down))))
    }

    private static func isOrdered(_ a: Quake, _ b: Quake) -> Bool {
        a.time == b.time ? a.id < b.id : a.time < b.time
    }
}

/// The mirror shows only the quakes, since the way in which they are stored differs in each run.
extension QuakeCatalog: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["quakes": all], displayStyle: .struct) }
}

// MARK: - Reading

extension QuakeCatalog {
    public var isEmpty: Bool { count == 0 }

    /// All quakes, the earliest first.
    public var all: [Quake] { parts.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// The quake with an id.
    public subscript(id: Quake.ID) -> Quake? {
        guard let time = times[id], let part = parts[Self.part(of: time)] else { return nil }
        let place = part.partition(time, id)
        return place < part.count && part[place].id == id ? part[place] : nil
    }

    /// The quakes of a span of time, the earliest first.
    public func quakes(during span: Range<Date>) -> [Quake] {
        let (first, last) = (Self.part(of: span.lowerBound), Self.part(of: span.upperBound))
        let days = last - first < parts.count ? Array(first...last) : parts.keys.filter { first...last ~= $0 }.sorted()
        var quakes: [Quake] = []
        for day in days {
            guard let part = parts[day] else { continue }
            let (start, end) = (part.partition(span.lowerBound), part.partition(span.upperBound))
            if start < end { quakes += part[start..<end] }
        }
        return quakes
    }
}

// MARK: - Changing

extension QuakeCatalog {
    /// Removes the quake with an id, if there is one.
    public mutating func remove(_ id: Quake.ID) {
        guard let time = times.update(nil, of: id) else { return }
        let key = Self.part(of: time)
        guard let place = parts[key]?.partition(time, id) else { return }
        parts[key]?.remove(at: place)
        if parts[key]?.isEmpty == true { parts[key] = nil }
        count -= 1
    }

    public mutating func removeAll() { self = QuakeCatalog() }

    /// Applies changes, in one pass over each part that they concern.
    public mutating func apply(_ changes: QuakeChanges) {
        var gone: [Int: Set<Quake.ID>] = [:]
        var added: [Int: [Quake]] = [:]
        for quake in changes.deleted {
            if let time = times.update(nil, of: quake.id) { gone[Self.part(of: time), default: []].insert(quake.id) }
        }
        for quake in changes.updated + changes.inserted {
            if let time = times.update(quake.time, of: quake.id) {
                gone[Self.part(of: time), default: []].insert(quake.id)
            }
            added[Self.part(of: quake.time), default: []].append(quake)
        }
        for key in Set(gone.keys).union(added.keys) {
            let old = parts[key] ?? []
            let new = old.merged(
                with: (added[key] ?? []).sorted(by: Self.isOrdered), without: gone[key] ?? [], by: Self.isOrdered)
            parts[key] = new.isEmpty ? nil : new
            count += new.count - old.count
        }
    }
}

extension [Quake] {
    /// The index of the first quake that does not come before a time and an id.
    fileprivate func partition(_ time: Date, _ id: Quake.ID = "") -> Int {
        withUnsafeBufferPointer { quakes in
            var (low, high) = (0, quakes.count)
            while low < high {
                let middle = low + (high - low) / 2
                let isBefore =
                    quakes[middle].time < time || (quakes[middle].time == time && quakes[middle].id < id)
                if isBefore { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Merges these quakes, without those with some ids, and `added` quakes. Both are sorted.
    fileprivate func merged(
        with added: [Quake], without gone: Set<Quake.ID>, by isOrdered: (Quake, Quake) -> Bool
    ) -> [Quake] {
        var merged: [Quake] = []
        merged.reserveCapacity(count + added.count)
        var next = 0
        for quake in self where gone.isEmpty || !gone.contains(quake.id) {
            while next < added.count, isOrdered(added[next], quake) {
                merged.append(added[next])
                next += 1
            }
            merged.append(quake)
        }
        return merged + added[next...]
    }
}

/// The time of each quake by its id, also stored in parts, so that a change copies only one of them.
private struct QuakeTimes: Sendable {
    private var parts = Array(repeating: [Quake.ID: Date](), count: 256)

    subscript(id: Quake.ID) -> Date? { parts[part(of: id)][id] }

    /// - Returns: The previous time.
    mutating func update(_ time: Date?, of id: Quake.ID) -> Date? {
        let part = part(of: id)
        guard let time else { return parts[part].removeValue(forKey: id) }
        return parts[part].updateValue(time, forKey: id)
    }

    private func part(of id: Quake.ID) -> Int { id.hashValue & 0xFF }
}

extension QuakeCatalog: CustomStringConvertible {
    public var description: String { count.counting("quake", "quakes") }
}
