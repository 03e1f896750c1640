import Feedback
import Foundation
import Persistence

extension Outbox {
    /// Schedules a step, unless one is about to come.
    func wake() {
        let mustSchedule = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { scheduler.schedule { [weak self] in self?.step() } }
    }

    /// Keeps what has been answered, and sends what can be sent.
    private func step() {
        let mayStep = state.withLock { state in
            state.isScheduled = false
            // A scheduler with several threads may get here twice.
            defer { state.isStepping = true }
            return !state.isStepping
        }
        guard mayStep else { return wake() }
        settle()
        send()
        let date = state.withLock { state in
            state.isStepping = false
            return state.nextDate(after: scheduler.currentDate, configuration)
        }
        if let date { setTimer(date) }
        publish()
    }

    func publish() {
        // The property's lock orders those who publish, so that the latest status is the last one.
        statusProperty.modify { $0 = state.withLock(\.status) }
    }

    /// Keeps the answers of all requests that have ended, in one transaction.
    private func settle() {
        let ended = state.withLock { state in
            defer { state.results = [] }
            return state.results
        }
        guard !ended.isEmpty else { return }
        let settlements: [(settlement: OutboxSettlement, parked: OutboxRow?)]
        do throws(StoreError) {
            settlements = try rows.perform { transaction throws(StoreError) in
                var settlements: [(OutboxSettlement, OutboxRow?)] = []
                for (row, result) in ended {
                    let settlement = try result.settle(transaction)
                    let parked = settlement == .parked ? try transaction.object(withId: row.number) : nil
                    settlements.append((settlement, parked))
                }
                return settlements
            }
        } catch {
            // The answers cannot be kept now: the disk is full, or another process holds the file. They are kept in memory.
            state.withLock { state in
                state.results = ended + state.results
                state.problem = "\(error)"
            }
            scheduler.schedule(after: scheduler.currentDate.addingTimeInterval(1)) { [weak self] in self?.wake() }
            return
        }
        let now = scheduler.currentDate
        let channels = state.withLock { state in
            for ((row, result), (settlement, _)) in zip(ended, settlements) {
                state.apply(settlement, result.reach, to: row.number, at: now, configuration)
            }
            return Set(ended.filter { !$0.result.reach.isFailure }.map(\.row.channel))
                .compactMap { state.channels[$0] }
        }
        note(parked: settlements.compactMap(\.parked), gone: [])
        for (_, result) in ended { if let conflict = result.conflict { conflictObserver.send(value: conflict) } }
        for channel in channels { channel.didSettle() }
    }

    /// Begins as many requests as may be under way at once.
    private func send() {
        let now = scheduler.currentDate
        let numbers = state.withLock { state in
            guard state.link.nextProbe(after: now) == nil else { return [Int]() }
            var numbers: [Int] = []
            while state.queue.sending < state.link.width(configuration.width), let next = state.queue.next(at: now) {
                numbers.append(next)
            }
            return numbers
        }
        guard !numbers.isEmpty else { return }
        let rows: [OutboxRow]
        do throws(StoreError) {
            rows = try prepare(numbers)
        } catch {
            state.withLock { state in
                state.problem = "\(error)"
                numbers.forEach { state.queue.sendAgain($0) }
            }
            scheduler.schedule(after: now.addingTimeInterval(1)) { [weak self] in self?.wake() }
            return
        }
        for row in rows {
            guard let channel = state.withLock({ $0.channels[row.channel] }) else { continue }
            let request = Task { [weak self] in
                let result = await channel.send(row)
                self?.end(row, result)
            }
            state.withLock { state in
                // It may have ended already.
                if state.queue.phase(of: row.number) == .sending { state.requests[row.number] = request }
            }
        }
    }

    /// Reads the rows to send. Where only what the server holds can tell whether a request was done before, the disk must know
    /// of the request before it is sent.
    private func prepare(_ numbers: [Int]) throws(StoreError) -> [OutboxRow] {
        var rows: [OutboxRow] = []
        for number in numbers {
            if let row = try self.rows.find(number) { rows.append(row) }
        }
        let channels = state.withLock(\.channels)
        var unmarked: [OutboxRow] = []
        for row in rows where !row.isUncertain && channels[row.channel]?.remembersKeys == false {
            var row = row
            row.isUncertain = true
            unmarked.append(row)
        }
        if !unmarked.isEmpty {
            let marked = unmarked
            try self.rows.perform { transaction throws(StoreError) in try transaction.update(marked) }
        }
        return rows
    }

    private func end(_ row: OutboxRow, _ result: OutboxResult) {
        state.withLock { state in
            state.requests[row.number] = nil
            state.results.append((row, result))
        }
        wake()
    }

    // MARK: - Time

    private func setTimer(_ date: Date) {
        let old = state.withLock { state in
            defer { state.timer = (date, nil) }
            return state.timer
        }
        old?.disposable?.dispose()
        let disposable = scheduler.schedule(after: date) { [weak self] in self?.wake() }
        state.withLock { state in state.timer = (date, disposable) }
    }
}
