import Foundation

/// The order in which an outbox sends its writes: writes of one entity one after the other, writes of different
/// entities at the same time.
///
/// It is a plain value without a clock, a network or a disk. The cost of a call does not depend on the number of
/// entities, but for a look at those that are delayed, once for each time that is passed.
///
/// | phase | meaning | next |
/// |---|---|---|
/// | writing | its transaction is under way | waiting, or gone if the transaction fails |
/// | waiting | it is on the disk | sending |
/// | sending | a request is under way | gone, waiting again, or parked |
/// | parked | the server has refused it | waiting, or gone |
///
/// Only the first write of an entity leaves `waiting`. So a parked write blocks later writes to its entity, and no
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
        var items: ArraySlice<Item> = []
        /// The number of times that the first write could not be sent, or was sent and met a conflict.
        var failures = 0
        /// The time during which the first write waits after a failure.
        var pause: ClosedRange<Date>?
        var due: Date? { pause?.upperBound }
        /// `true` if the entity is in ``line``.
        var isInLine = false

        /// Returns true if the pause is over. If `now` is before its beginning, the clock was set back, and the pause
        /// is over, too.
        func isDue(at now: Date) -> Bool { pause.map { now < $0.lowerBound || now >= $0.upperBound } ?? true }

        /// Returns the index of a write.
        func index(of number: Int) -> Int? {
            let index = firstIndex(from: number)
            return index < items.endIndex && items[index].number == number ? index : nil
        }

        /// Returns the index of the first write with this number or a greater one, found by binary search, since numbers
        /// only grow within a lane.
        func firstIndex(from number: Int) -> Int {
            var (low, high) = (items.startIndex, items.endIndex)
            while low < high {
                let middle = (low + high) / 2
                if items[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func beginFirst() { items[items.startIndex].phase = .sending }

        /// Removes a write. Removing the first one does not move the others.
        mutating func remove(at index: Int) -> Item {
            index == items.startIndex ? items.removeFirst() : items.remove(at: index)
        }
    }

    private var lanes: [OutboxEntity: Lane] = [:]
    private var entities: [Int: OutboxEntity] = [:]
    /// The entities whose first write can be sent, in the order in which that became possible.
    private var line: [OutboxEntity] = []
    private var lineStart = 0
    /// The entities whose first write will be tried again later.
    private var delayed: Set<OutboxEntity> = []
    /// The time at which the delayed entities were last looked at; nil if one was added since then.
    private var lastLook: Date?

    /// The writes that are on the disk and not parked, including those that are being sent.
    private(set) var waiting = 0
    private(set) var parked = 0

    // MARK: - Adding

    /// Adds a write whose transaction is under way. It is not sent before ``commit(_:)``.
    mutating func reserve(_ number: Int, of entity: OutboxEntity) {
        append(number, of: entity, .writing)
    }

    /// Marks a write as waiting, when its transaction is committed.
    mutating func commit(_ number: Int) {
        guard setPhase(of: number, from: .writing, to: .waiting) else { return }
        waiting += 1
        offer(entities[number])
    }

    /// Adds a write of an earlier run of the program.
    mutating func restore(_ number: Int, of entity: OutboxEntity, isParked: Bool) {
        guard append(number, of: entity, isParked ? .parked : .waiting) else { return }
        if isParked { parked += 1 } else { waiting += 1 }
        offer(entity)
    }

    @discardableResult
    private mutating func append(_ number: Int, of entity: OutboxEntity, _ phase: Phase) -> Bool {
        guard entities[number] == nil else { return false }
        entities[number] = entity
        lanes[entity, default: Lane()].items.append(Item(number: number, phase: phase))
        return true
    }

    // MARK: - Sending

    /// Begins to send the next write, and returns its number; nil if none can be sent now.
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
            lanes[entity]?.beginFirst()
            return first.number
        }
        return nil
    }

    /// `true` if ``next(at:)`` may return a write that does not wait for its time.
    var mayHaveNext: Bool { lineStart < line.count }

    /// Begins to send a write; returns false if it is not the next one of its entity, or is delayed.
    mutating func begin(_ number: Int) -> Bool {
        guard let entity = entities[number], let lane = lanes[entity], let first = lane.items.first,
            first.number == number, first.phase == .waiting, lane.due == nil
        else { return false }
        lanes[entity]?.beginFirst()
        return true
    }

    /// The time at which the next delayed write may be sent; nil if none is delayed.
    var nextDue: Date? { delayed.lazy.compactMap { lanes[$0]?.due }.min() }

    /// Delays a write that could not be sent. The delay grows with each failure.
    mutating func postpone(_ number: Int, at now: Date, _ delay: DoublingDelay) {
        guard setPhase(of: number, from: .sending, to: .waiting), let entity = entities[number] else { return }
        let failures = (lanes[entity]?.failures ?? 0) + 1
        lanes[entity]?.failures = failures
        lanes[entity]?.pause = now...now.addingTimeInterval(delay.time(after: failures))
        delayed.insert(entity)
        lastLook = nil
    }

    /// Lets a write be sent again without delay: it failed for a reason that does not concern it.
    mutating func sendAgain(_ number: Int) {
        guard setPhase(of: number, from: .sending, to: .waiting) else { return }
        offer(entities[number])
    }

    /// Lets a write be sent again in a new form, after a conflict. If that happens again and again, the server may find a
    /// conflict each time, so the write is delayed.
    mutating func sendAgain(_ number: Int, rebasedAt now: Date, _ delay: DoublingDelay) {
        guard let entity = entities[number], let failures = lanes[entity]?.failures else { return }
        if failures >= 2 { return postpone(number, at: now, delay) }
        lanes[entity]?.failures = failures + 1
        sendAgain(number)
    }

    /// Keeps a write that was to be sent in the queue, without sending it.
    mutating func hold(_ number: Int) {
        setPhase(of: number, from: .sending, to: .waiting)
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
        waiting -= 1
        parked += 1
    }

    /// Lets a parked write be sent again.
    mutating func release(_ number: Int) {
        guard setPhase(of: number, from: .parked, to: .waiting) else { return }
        parked -= 1
        waiting += 1
        offer(entities[number])
    }

    /// Removes a write that is done, was dropped, or was not committed.
    mutating func remove(_ number: Int) {
        guard let entity = entities.removeValue(forKey: number),
            let isFirst = lanes[entity]?.items.first.map({ $0.number == number }),
            let index = lanes[entity]?.index(of: number), let item = lanes[entity]?.remove(at: index)
        else { return }
        switch item.phase {
        case .writing: break
        case .waiting, .sending: waiting -= 1
        case .parked: parked -= 1
        }
        if lanes[entity]?.items.isEmpty == true {
            lanes[entity] = nil
            delayed.remove(entity)
        } else if isFirst {
            lanes[entity]?.failures = 0
            lanes[entity]?.pause = nil
            delayed.remove(entity)
            offer(entity)
        }
    }

    // MARK: - Reading

    /// Returns the thing that a write concerns.
    func subject(of number: Int) -> OutboxEntity? { entities[number] }

    func phase(of number: Int) -> Phase? {
        guard let lane = entities[number].flatMap({ lanes[$0] }) else { return nil }
        return lane.index(of: number).map { lane.items[$0].phase }
    }

    /// Returns the write that becomes the first of its entity when this one is done; nil if none is waiting.
    func successor(of number: Int) -> Int? {
        guard let lane = entities[number].flatMap({ lanes[$0] }), lane.items.count > 1,
            lane.items.first?.number == number, let next = lane.items.dropFirst().first, next.phase == .waiting
        else { return nil }
        return next.number
    }

    /// Returns the oldest writes of an entity that are not done, at most `limit`.
    func writes(to entity: OutboxEntity, limit: Int) -> [Int] {
        lanes[entity].map { $0.items.prefix(limit).map(\.number) } ?? []
    }

    /// Returns the writes of an entity that are not done and have greater numbers than this one.
    func writes(to entity: OutboxEntity, after number: Int) -> [Int] {
        lanes[entity].map { $0.items[$0.firstIndex(from: number.after)...].map(\.number) } ?? []
    }

    /// Returns the writes of a channel.
    func numbers(of channel: String) -> [Int] { entities.filter { $0.value.channel == channel }.map(\.key) }

    /// `true` if all writes are done.
    var isEmpty: Bool { lanes.isEmpty }

    /// Returns true if the entity has writes that are not done.
    func hasWrites(to entity: OutboxEntity) -> Bool { lanes[entity] != nil }

    // MARK: - Machinery

    @discardableResult
    private mutating func setPhase(of number: Int, from old: Phase, to new: Phase) -> Bool {
        guard let entity = entities[number], let index = lanes[entity]?.index(of: number),
            lanes[entity]?.items[index].phase == old
        else { return false }
        lanes[entity]?.items[index].phase = new
        return true
    }

    private mutating func offer(_ entity: OutboxEntity?) {
        guard let entity, let lane = lanes[entity], lane.items.first?.phase == .waiting, lane.due == nil,
            !lane.isInLine
        else { return }
        lanes[entity]?.isInLine = true
        line.append(entity)
    }

    private mutating func offerDue(at now: Date) {
        if lastLook == now { return }
        lastLook = now
        for entity in delayed where lanes[entity]?.isDue(at: now) ?? true {
            delayed.remove(entity)
            lanes[entity]?.pause = nil
            offer(entity)
        }
    }
}
