import Foundation
import Persistence

@testable import Sync

/// Two devices, five notes, a server, and a network that drops, delays, reorders and duplicates. A seed repeats a run exactly.
final class OutboxSimulation {
    private enum Message {
        /// An echo is a copy of a request that has arrived before. No client hears the answer to it.
        case request(device: Int, attempt: Int, row: OutboxRow, tag: NoteTag, isEcho: Bool)
        case answer(device: Int, attempt: Int, row: OutboxRow, OutboxAnswer<Note>)
        case question(device: Int, attempt: Int, SimulatedPull.Question)
        case pulled(device: Int, attempt: Int, SimulatedPull.Answer)
    }

    let seed: UInt64
    private var random: SeededGenerator
    private var server: SimulatedServer
    private let devices: [SimulatedDevice]
    private var network: [Message] = []
    private var now = Date(timeIntervalSinceReferenceDate: 0)
    private var attempts = 0
    private var values = 0
    /// The ids of the five notes. A note that was deleted is followed by one with another id.
    private var ids = [1, 2, 3, 4, 5]
    private var isCalm = false
    private let operations: Int
    private let keepsHistory: Bool
    private(set) var history: [String] = []

    init(seed: UInt64, operations: Int = 200, keepsHistory: Bool = false) {
        self.seed = seed
        self.operations = operations
        self.keepsHistory = keepsHistory
        random = SeededGenerator(seed: seed)
        let kind = SimulatedServer.Kind.allCases[Int(seed % UInt64(SimulatedServer.Kind.allCases.count))]
        server = SimulatedServer(kind)
        devices = [SimulatedDevice(0, kind), SimulatedDevice(1, kind)]
    }

    /// Runs to the end, and returns what has gone wrong; nil if nothing has.
    func run() -> String? {
        do {
            var made = 0
            while made < operations {
                if random.chance(25) {
                    made += 1
                    try change(device())
                } else {
                    try step()
                }
                if let problem = try brokenLaw() { return problem }
            }
            return try calmDown() ?? judgement()
        } catch {
            return "it threw \(error)"
        }
    }

    // MARK: - Steps

    private func device() -> SimulatedDevice { devices[Int.random(in: 0..<devices.count, using: &random)] }

    private func note(_ event: @autoclosure () -> String) {
        if keepsHistory { history.append("\(now.timeIntervalSinceReferenceDate) \(event())") }
    }

    private func newValue() -> Int {
        values += 1
        return values
    }

    /// A person uses a device.
    private func change(_ device: SimulatedDevice) throws {
        let slot = Int.random(in: 0..<ids.count, using: &random)
        let id = ids[slot]
        var change: OutboxRules<Note>.Change
        if var note = device.disk.notes[id] {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                change = .delete(id)
                ids[slot] += 10
            case 1...5:
                note.title = newValue()
                change = .update(note)
            case 6...8:
                note.body = newValue()
                change = .update(note)
            default:
                (note.title, note.body) = (newValue(), newValue())
                change = .upsert(note)
            }
        } else {
            let note = Note(id: id, title: newValue(), body: newValue(), version: 0)
            change = random.chance(50) ? .insert(note) : .upsert(note)
        }
        let crashes = random.chance(2)
        let row = try device.write(change, key: random.uuid(), at: now, crashes: crashes)
        note("device \(device.number) writes \(row?.number ?? 0): \(change)\(crashes ? ", and crashes" : "")")
    }

    private func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: try send(device())
        case 30..<70: try deliver()
        case 70..<80: now.addTimeInterval(Double.random(in: 0...2, using: &random))
        case 80..<86: startPull(device())
        case 86..<90: try useParked(device())
        case 90..<94: try expire(device())
        case 94..<96:
            let device = device()
            device.crash()
            note("device \(device.number) crashes")
        case 96:
            // The server's tables outlive it, its connections do not.
            network = []
            note("the server crashes")
        case 97:
            server.forgetDeletions()
            note("the server forgets its deletions")
        default: now.addTimeInterval(0.05)
        }
    }

    private func send(_ device: SimulatedDevice) throws {
        guard let row = device.next(at: now) else { return }
        if !isCalm, random.chance(3) {
            device.crash()
            return note("device \(device.number) crashes before it sends \(row.number)")
        }
        attempts += 1
        device.requests[row.number] = (attempts, row, now.addingTimeInterval(5))
        network.append(
            .request(device: device.number, attempt: attempts, row: row, tag: device.tag(row.number), isEcho: false))
        note("device \(device.number) sends \(row.number) in attempt \(attempts)")
    }

    private func startPull(_ device: SimulatedDevice) {
        guard device.pull == nil else { return }
        attempts += 1
        device.pull = (attempts, device.pulls.begin())
        network.append(.question(device: device.number, attempt: attempts, .begin))
        note("device \(device.number) pulls in attempt \(attempts)")
    }

    /// A message arrives, in no order; some are lost, and some arrive again.
    private func deliver() throws {
        guard !network.isEmpty else { return }
        let index = isCalm ? 0 : Int.random(in: 0..<network.count, using: &random)
        let message = network[index]
        let fate = isCalm ? 50 : Int.random(in: 0..<100, using: &random)
        if fate >= 15 || fate < 8 { network.remove(at: index) }
        if fate < 8 { return note("lost: \(message)") }
        switch message {
        case let .request(device, attempt, row, tag, isEcho):
            if fate < 15 {
                network[index] = .request(device: device, attempt: attempt, row: row, tag: tag, isEcho: true)
            }
            let write = try devices[device].rules.write(row)
            if !isEcho, !isCalm, random.chance(4) { return self.answer(device, attempt, row, .busy(reason: "busy")) }
            let (before, wasDone) = (server.notes[write.id], server.done.contains(tag))
            let answer = server.handle(write, key: row.key, tag: tag, refuses: random.chance(4) && !isCalm)
            if let before, !wasDone, server.done.contains(tag) {
                try devices[device].checkReplaced(before, by: write, row.number)
            }
            note("the server gets \(row.number) of device \(device) in attempt \(attempt): \(answer)")
            if !isEcho { self.answer(device, attempt, row, answer) }
        case let .answer(device, attempt, row, answer):
            try end(devices[device], attempt, row, answer)
        case let .question(device, attempt, question):
            network.append(.pulled(device: device, attempt: attempt, server.answer(question)))
        case let .pulled(number, attempt, answer):
            let device = devices[number]
            guard device.pull?.attempt == attempt else { return }
            let question = try device.pull(answer)
            note("device \(number) is told in attempt \(attempt): \(answer)")
            guard let question else { return device.pull = nil }
            network.append(.question(device: number, attempt: attempt, question))
        }
    }

    private func answer(_ device: Int, _ attempt: Int, _ row: OutboxRow, _ answer: OutboxAnswer<Note>) {
        network.append(.answer(device: device, attempt: attempt, row: row, answer))
    }

    private func end(
        _ device: SimulatedDevice, _ attempt: Int, _ row: OutboxRow, _ answer: OutboxAnswer<Note>
    ) throws {
        // An answer that comes after its time, or after a crash, is not heard.
        guard device.requests[row.number]?.attempt == attempt else { return }
        device.requests[row.number] = nil
        if !isCalm, random.chance(3) {
            device.crash()
            return note("device \(device.number) crashes before it keeps the answer to \(row.number)")
        }
        let settlement = try device.settle(row, answer, key: random.uuid(), at: now)
        note("device \(device.number) has the answer to \(row.number), \(answer): \(settlement)")
        // A person may have sent a write again that was done by a copy of the first request.
        let tags = (0...(device.decisions[row.number] ?? 0)).map {
            NoteTag(device: device.number, number: row.number, decision: $0)
        }
        if case .conflict = answer, settlement == .done, try device.rules.write(row).kind == .update,
            server.done.isDisjoint(with: tags)
        {
            throw BrokenLaw.lost("\(row.number) of device \(device.number), taken for done")
        }
        if case .accepted = answer, try device.rules.write(row).kind != .delete,
            !server.done.contains(device.tag(row.number))
        {
            throw BrokenLaw.lost("\(row.number) of device \(device.number), accepted and not done")
        }
    }

    /// Requests whose answer has not come in time have failed.
    private func expire(_ device: SimulatedDevice) throws {
        for (number, request) in device.requests.sorted(by: { $0.key < $1.key }) where request.deadline <= now {
            device.requests[number] = nil
            let settlement = try device.settle(
                request.row, .unreachable(reason: "timeout"), key: random.uuid(), at: now)
            note("device \(device.number) has waited long enough for \(number): \(settlement)")
        }
        if device.pull != nil, random.chance(isCalm ? 0 : 30) { device.pull = nil }
    }

    /// A person looks at a write that the server has refused.
    private func useParked(_ device: SimulatedDevice) throws {
        guard let row = device.parked.first else { return }
        let choice = isCalm && device.decisions[row.number] ?? 0 > 2 ? 0 : Int.random(in: 0..<3, using: &random)
        let id = try device.rules.write(row).id
        // Only a version tells a value that has come back from one that never was away: there every write has new values.
        if choice == 1, server.kind != .values {
            // The title and body that a person sends again may come back on every screen.
            let again: [Int] = try device.rules.write(row).new.dropFirst().prefix(2).compactMap {
                if case .integer(let value)? = $0 { Int(value) } else { nil }
            }
            for device in devices { device.overwritten[id]?.subtract(again) }
            try device.retry(row, key: random.uuid())
            note("a person sends \(row.number) of device \(device.number) again")
        } else if choice == 2, var object = device.disk.notes[id], device.disk.writes(of: row.entity).count == 1 {
            device.overwritten[id, default: []].formUnion([object.title, object.body])
            (object.title, object.body) = (newValue(), newValue())
            try device.edit(row, to: object, key: random.uuid())
            note("a person edits \(row.number) of device \(device.number)")
        } else {
            try device.giveUp(row)
            note("a person gives \(row.number) of device \(device.number) up")
        }
    }

    // MARK: - The end

    /// The network works and nobody crashes, until all is sent. Returns what is wrong if that does not come to an end.
    private func calmDown() throws -> String? {
        isCalm = true
        note("calm")
        for _ in 0..<20_000 {
            while !network.isEmpty { try deliver() }
            for device in devices {
                try expire(device)
                try send(device)
                try useParked(device)
            }
            now.addTimeInterval(0.5)
            if let problem = try brokenLaw() { return problem }
            if network.isEmpty, devices.allSatisfy({ $0.disk.rows.isEmpty && $0.requests.isEmpty }) {
                for device in devices {
                    device.pull = nil
                    startPull(device)
                }
                while !network.isEmpty { try deliver() }
                return nil
            }
        }
        return "it does not come to an end: \(devices.map { $0.disk.rows.values.map(\.number) })"
    }

    private func brokenLaw() throws -> String? {
        for device in devices {
            if let problem = try device.brokenLaw() { return problem }
        }
        return server.doubled.map { "\($0) was done twice" }
    }

    private func judgement() -> String? {
        for device in devices {
            if device.disk.notes != server.notes {
                return "device \(device.number) has \(device.disk.notes), and the server has \(server.notes)"
            }
            if !device.open.isEmpty { return "the writes \(device.open) of device \(device.number) are lost" }
            if device.queue.waiting + device.queue.parked != 0 {
                return "the counts of device \(device.number) are wrong"
            }
        }
        for (entity, numbers) in server.order where numbers != numbers.sorted() {
            return "\(entity): the order was \(numbers)"
        }
        return nil
    }

}
