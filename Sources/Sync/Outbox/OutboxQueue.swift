import Foundation

/// The order in which an outbox sends its writes: those of one entity one after the other, those of others side by side.
///
/// It is a plain value without a clock, a network or a disk. A call costs the same however many entities have writes.
///
/// | phase | meaning | next |
/// |---|---|---|
/// | writing | its transaction is under way | waiting, or gone if the transaction fails |
/// | waiting | it is on the disk | sending |
/// | sending | a request is under way | gone, waiting again, or parked |
/// | parked | the server has refused it | waiting, or gone |
///
/// Only the first write of an entity leaves `waiting`. A parked write therefore holds up later writes to its entity, and no
/// others.
struct OutboxQueue: Sendable {
    enum Phase: Equatable, Sendable {
        case writing
        case waiting
        case sending
        case parked
    }

    private struct Item: Sendable {
        let number: Int
        var phase: Phase
    }

    /// The writes of one entity, the oldest first.
    private struct Lane: Sendable {
        var items: [Item] = []
        /// The number of times in a row that the first write could not be sent.
        var failures = 0
        /// The time during which the first write waits, after a failure.
        var pause: ClosedRange<Date>?
        var due: Date? { pause?.upperBound }
        /// `true` if the lane is in the line of those that can be sent.
        var isInLine = false

        /// Returns whether the pause is over. A time before its beginning means that the clock was set back.
        func isDue(at now: Date) -> Bool { pause.map { now < $0.lowerBound || now >= $0.upperBound } ?? true }

        /// Numbers only grow within a lane.
        func index(of number: Int) -> Int? {
            var (low, high) = (0, items.count)
            while low < high {
                let middle = (low + high) / 2
                if items[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < items.count && items[low].number == number ? low : nil
        }
    }

    private var lanes: [String: Lane] = [:]
    private var entities: [Int: String] = [:]
    /// The entities whose first write can be sent, in the order in which they became so.
    private var line: [String] = []
    private var lineStart = 0
    /// The entities whose first write is tried again later.
    private var delayed: Set<String> = []

    /// The writes that are on the disk and not parked, including those that are being sent.
    private(set) var waiting = 0
    private(set) var sending = 0
    private(set) var parked = 0

    // MARK: - Adding

    /// Adds a write whose transaction is under way. It is not sent before ``commit(_:)``.
    mutating func reserve(_ number: Int, of entity: String) {
        append(number, of: entity, .writing)
    }

    /// The write's transaction has ended.
    mutating func commit(_ number: Int) {
        guard setPhase(of: number, from: .writing, to: .waiting) else { return }
        waiting += 1
        offer(entities[number])
    }

    /// Adds a write that an earlier run of the program has left behind.
    mutating func restore(_ number: Int, of entity: String, isParked: Bool) {
        append(number, of: entity, isParked ? .parked : .waiting)
        if isParked { parked += 1 } else { waiting += 1 }
        offer(entity)
    }

    private mutating func append(_ number: Int, of entity: String, _ phase: Phase) {
        guard entities[number] == nil else { return }
        entities[number] = entity
        lanes[entity, default: Lane()].items.append(Item(number: number, phase: phase))
    }

    // MARK: - Sending

    /// Begins to send the next write; nil if none can be sent now.
    mutating func next(at now: Date) -> Int? {
        if !delayed.isEmpty { offerDue(at: now) }
        while lineStart < line.count {
            let entity = line[lineStart]
            lineStart += 1
            if lineStart > 64, lineStart * 2 > line.count {
                line.removeFirst(lineStart)
                lineStart = 0
            }
            lanes[entity]?.isInLine = false
            guard let first = lanes[entity]?.items.first, first.phase == .waiting else { continue }
            lanes[entity]?.items[0].phase = .sending
            sending += 1
            return first.number
        }
        return nil
    }

    /// `true` if ``next(at:)`` may return a write that does not wait for its time.
    var mayHaveNext: Bool { lineStart < line.count }

    /// Begins to send a write, if it is the next one of its entity.
    mutating func begin(_ number: Int) -> Bool {
        guard let entity = entities[number], let lane = lanes[entity], let first = lane.items.first,
            first.number == number, first.phase == .waiting, lane.due == nil
        else { return false }
        lanes[entity]?.items[0].phase = .sending
        sending += 1
        return true
    }

    /// When the next delayed write may be sent; nil if none is delayed.
    var nextDue: Date? { delayed.lazy.compactMap { lanes[$0]?.due }.min() }

    /// The write could not be sent. It is tried again after a time that grows with each failure.
    mutating func postpone(_ number: Int, at now: Date, _ backoff: Backoff) {
        guard setPhase(of: number, from: .sending, to: .waiting), let entity = entities[number] else { return }
        sending -= 1
        let failures = (lanes[entity]?.failures ?? 0) + 1
        lanes[entity]?.failures = failures
        lanes[entity]?.pause = now...now.addingTimeInterval(backoff.delay(after: failures))
        delayed.insert(entity)
    }

    /// The write was not sent, for a reason that has nothing to do with it, or is sent again at once.
    mutating func sendAgain(_ number: Int) {
        guard setPhase(of: number, from: .sending, to: .waiting) else { return }
        sending -= 1
        offer(entities[number])
    }

    /// Makes all delayed writes due.
    mutating func hurry() {
        let entities = delayed
        delayed = []
        for entity in entities {
            lanes[entity]?.pause = nil
            offer(entity)
        }
    }

    // MARK: - Parking and leaving

    mutating func park(_ number: Int) {
        guard setPhase(of: number, from: .sending, to: .parked) else { return }
        sending -= 1
        waiting -= 1
        parked += 1
    }

    /// A parked write is to be sent again.
    mutating func release(_ number: Int) {
        guard setPhase(of: number, from: .parked, to: .waiting) else { return }
        parked -= 1
        waiting += 1
        offer(entities[number])
    }

    /// The write is done, given up, or was never kept.
    mutating func remove(_ number: Int) {
        guard let entity = entities.removeValue(forKey: number),
            let index = lanes[entity]?.index(of: number), let item = lanes[entity]?.items.remove(at: index)
        else { return }
        switch item.phase {
        case .writing: break
        case .waiting: waiting -= 1
        case .sending: (waiting, sending) = (waiting - 1, sending - 1)
        case .parked: parked -= 1
        }
        if lanes[entity]?.items.isEmpty == true {
            lanes[entity] = nil
            delayed.remove(entity)
        } else if index == 0 {
            lanes[entity]?.failures = 0
            lanes[entity]?.pause = nil
            delayed.remove(entity)
            offer(entity)
        }
    }

    // MARK: - Reading

    func phase(of number: Int) -> Phase? {
        guard let lane = entities[number].flatMap({ lanes[$0] }) else { return nil }
        return lane.index(of: number).map { lane.items[$0].phase }
    }

    /// The write that becomes the first of its entity once this one is done; nil if there is none that waits.
    func successor(of number: Int) -> Int? {
        guard let lane = entities[number].flatMap({ lanes[$0] }), lane.items.count > 1,
            lane.items[0].number == number, lane.items[1].phase == .waiting
        else { return nil }
        return lane.items[1].number
    }

    /// The oldest writes of an entity that are not done, `limit` at most.
    func writes(to entity: String, limit: Int) -> [Int] {
        lanes[entity].map { $0.items.prefix(limit).map(\.number) } ?? []
    }

    /// `true` if all writes are done.
    var isEmpty: Bool { lanes.isEmpty }

    /// Returns whether the entity has writes that are not done.
    func hasWrites(to entity: String) -> Bool { lanes[entity] != nil }

    // MARK: - Machinery

    private mutating func setPhase(of number: Int, from old: Phase, to new: Phase) -> Bool {
        guard let entity = entities[number], let index = lanes[entity]?.index(of: number),
            lanes[entity]?.items[index].phase == old
        else { return false }
        lanes[entity]?.items[index].phase = new
        return true
    }

    private mutating func offer(_ entity: String?) {
        guard let entity, let lane = lanes[entity], lane.items.first?.phase == .waiting, lane.due == nil,
            !lane.isInLine
        else { return }
        lanes[entity]?.isInLine = true
        line.append(entity)
    }

    private mutating func offerDue(at now: Date) {
        for entity in delayed where lanes[entity]?.isDue(at: now) ?? true {
            delayed.remove(entity)
            lanes[entity]?.pause = nil
            offer(entity)
        }
    }
}

/// Times to wait after failures: each twice the one before, up to a limit.
struct Backoff: Equatable, Sendable {
    var first: TimeInterval
    var limit: TimeInterval

    func delay(after failures: Int) -> TimeInterval {
        max(0, min(limit, first * pow(2, Double(min(max(failures, 1), 30) - 1))))
    }
}
