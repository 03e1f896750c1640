import Feedback
import Foundation
import Persistence

extension Outbox {
    /// Schedules a step, unless one is scheduled already.
    func wake() {
        let mustSchedule = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { scheduler.schedule { [weak self] in self?.step() } }
    }

    /// Stores the answers, and sends the writes that can be sent.
    private func step() {
        let mayStep = state.withLock { state in
            (state.isScheduled, state.isStepDelayed) = (false, false)
            // If a scheduler with several threads runs two steps at once, the first one does another one after it.
            state.mustStepAgain = state.isStepping
            defer { state.isStepping = true }
            return !state.isStepping
        }
        guard mayStep else { return }
        let step = state.withLock { $0.nextStep(at: scheduler.currentDate, configuration) }
        if !step.isEmpty { carryOut(step) }
        startRequests()
        let (date, mayGoOn, waiters) = state.withLock { state in
            state.isStepping = false
            let now = scheduler.currentDate
            var waiters: [CheckedContinuation<Void, Never>] = []
            // A step without work changes nothing for its waiters.
            if !step.isEmpty {
                state.steps += 1
                swap(&waiters, &state.stepWaiters)
            }
            defer { state.mustStepAgain = false }
            return (
                state.nextDate(after: now, configuration),
                state.mustStepAgain || state.canGoOn(at: now, configuration), waiters
            )
        }
        for waiter in waiters { waiter.resume() }
        if let date { setTimer(date) }
        publish()
        if mayGoOn { wake() }
    }

    func publish() {
        // The status is read under the property's lock, so that the last published one is the latest.
        statusProperty.modify { $0 = state.withLock(\.status) }
    }

    // MARK: - Disk

    /// The result of the part of a step that is on the disk.
    private struct Kept {
        var settlements: [(settlement: OutboxSettlement, parked: OutboxRow?)] = []
        /// The writes to send.
        var rows: [OutboxRow] = []
        /// The writes that follow one that has just been done.
        var successors: [OutboxRow] = []
        /// The writes that would take too much memory now.
        var rest: [Int] = []
        /// The writes whose channel is being closed.
        var held: [Int] = []
        /// The writes that the database cannot read.
        var unreadable: [OutboxRow] = []
    }

    private func carryOut(_ step: OutboxState.Step) {
        let kept: Kept
        do throws(StoreError) {
            kept = try rows.perform { transaction throws(StoreError) in
                try lock?.renew()
                return try keep(step, transaction)
            }
        } catch {
            // Nothing can be stored now: the disk is full, or another process holds the file or has become the one that
            // sends the writes. The answers stay in memory.
            let mustSchedule = state.withLock { state in
                state.undo(step, because: error)
                defer { state.waitsForDisk = true }
                return !state.waitsForDisk
            }
            guard mustSchedule else { return }
            schedule(after: scheduler.currentDate.addingTimeInterval(1)) { outbox in
                outbox.state.withLock { $0.waitsForDisk = false }
                outbox.wake()
            }
            return
        }
        let now = scheduler.currentDate
        let channels = state.withLock { state in
            state.diskFailure = nil
            for ((row, result), (settlement, _)) in zip(step.ended, kept.settlements) {
                state.apply(settlement, result.reach, to: row.number, at: now, configuration)
            }
            for row in step.withdrawn { state.queue.sendAgain(row.number) }
            for number in kept.rest { state.queue.sendAgain(number) }
            for number in kept.held { state.queue.hold(number) }
            for row in kept.unreadable { state.queue.park(row.number) }
            // Rows that another process has removed leave the queue.
            let known = (kept.rows + kept.unreadable).map(\.number) + kept.rest + kept.held
            for number in Set(step.numbers).subtracting(known) {
                state.queue.remove(number)
            }
            state.ready += kept.rows + kept.successors.filter { state.queue.begin($0.number) }
            return Set(step.ended.filter { !$0.result.reach.isFailure }.map(\.row.channel))
                .compactMap { state.channels[$0] }
        }
        note(parked: kept.settlements.compactMap(\.parked) + kept.unreadable, gone: [])
        for (_, result) in step.ended { if let conflict = result.conflict { conflictObserver.send(value: conflict) } }
        for channel in channels { channel.didSettle() }
    }

    private func keep(
        _ step: OutboxState.Step, _ transaction: SQLiteTransaction<OutboxRow>
    ) throws(StoreError) -> Kept {
        var kept = Kept()
        var successors: [Int] = []
        for (row, result) in step.ended {
            let settlement = try settle(row, result, transaction)
            let parked = settlement == .parked ? try transaction.readableRow(row.number, of: row.subject) : nil
            kept.settlements.append((settlement, parked))
            if settlement == .done, let next = state.withLock({ $0.queue.successor(of: row.number) }) {
                successors.append(next)
            }
        }
        for withdrawn in step.withdrawn where !withdrawn.isUncertain {
            guard var row = try transaction.readableRow(withdrawn.number, of: withdrawn.subject), row.isUncertain
            else { continue }
            row.isUncertain = false
            try transaction.update([row])
        }
        var room = step.room
        let (rows, rest, held) = try prepare(step.numbers, &room, transaction)
        (kept.rows, kept.rest, kept.held) = (rows.filter { $0.parking == .none }, rest, held)
        kept.unreadable = rows.filter { $0.parking != .none }
        kept.successors = try prepare(successors, &room, transaction).rows.filter { $0.parking == .none }
        return kept
    }

    /// Stores an answer. If that fails because of the row or of a value in the answer, the write is parked, so that it
    /// does not block the others.
    private func settle(
        _ row: OutboxRow, _ result: OutboxResult, _ transaction: SQLiteTransaction<OutboxRow>
    ) throws(StoreError) -> OutboxSettlement {
        do throws(StoreError) {
            return try result.settle(transaction)
        } catch {
            if error.isOfDatabase { throw error }
            return try transaction.park(row, error.isUnreadable ? .unreadable : .refused, because: "\(error)")
        }
    }

    /// Reads the rows to send, and marks them as uncertain on the disk if their channel wants that.
    ///
    /// - Parameter room: The number of bytes that they may have. The row that exceeds it is the last one.
    /// - Returns: The rows, also those that are parked now, since the database could not read them; the numbers of those
    ///   for which there is no room, and of those whose channel is being closed.
    private func prepare(
        _ numbers: [Int], _ room: inout Int, _ transaction: SQLiteTransaction<OutboxRow>
    ) throws(StoreError) -> (rows: [OutboxRow], rest: [Int], held: [Int]) {
        let (channels, subjects) = state.withLock { state in (state.channels, numbers.map(state.queue.subject)) }
        var rows: [OutboxRow] = []
        var rest: [Int] = []
        var held: [Int] = []
        var marked: [Int] = []
        for (index, number) in numbers.enumerated() {
            if room <= 0 { rest = Array(numbers[index...]) }
            guard rest.isEmpty else { break }
            guard let row = try transaction.readableRow(number, of: subjects[index]),
                let channel = channels[row.channel]
            else { continue }
            guard channel.isOpen else {
                held.append(number)
                continue
            }
            rows.append(row)
            room -= row.size
            if row.parking == .none, !row.isUncertain, channel.marksSentWrites { marked.append(number) }
        }
        if !marked.isEmpty {
            try transaction.update(where: .in(\.number, marked), set: [.value(\.isUncertain, true)])
        }
        return (rows, rest, held)
    }

    // MARK: - Network

    /// Starts requests, up to the number that may be under way at once.
    private func startRequests() {
        let rows = state.withLock { $0.nextRequests(at: scheduler.currentDate, configuration) }
        for row in rows { startSending(row) }
    }

    /// Sends a write, and then others, one after the other, as long as some are ready. A task for each of them would have
    /// to wait for a thread each time.
    private func startSending(_ first: OutboxRow) {
        let number = state.withLock { $0.addSender() }
        let sender = Task { [weak self] in
            var next: OutboxRow? = first
            // Rows are added to the queue by their channel, so it exists.
            while let row = next, let channel = self?.state.withLock({ $0.channels[row.channel] }) {
                let result = await channel.send(row)
                next = self?.end(row, result)
            }
            self?.state.withLock { _ = $0.senders.removeValue(forKey: number) }
        }
        state.withLock { state in
            // It may have ended already.
            if state.senders.index(forKey: number) != nil { state.senders[number] = sender }
        }
    }

    /// Ends a request, and returns the next write for its sender.
    private func end(_ row: OutboxRow, _ result: OutboxResult) -> OutboxRow? {
        enum Next { case step, stepLater, nothing }
        let (step, next, others) = state.withLock { state in
            state.underWay.remove(row.number)
            state.results.append((row, result))
            let rows = result.reach.isFailure ? [] : state.nextRequests(at: scheduler.currentDate, configuration)
            let (next, others) = (rows.first, rows.dropFirst())
            if result.reach.isFailure || state.isStepUrgent(configuration) { return (Next.step, next, others) }
            defer { state.isStepDelayed = true }
            return (state.isStepDelayed || state.isScheduled ? .nothing : .stepLater, next, others)
        }
        switch step {
        case .step: wake()
        case .stepLater:
            schedule(after: scheduler.currentDate.addingTimeInterval(OutboxState.stepDelay)) { $0.wake() }
        case .nothing: break
        }
        for row in others { startSending(row) }
        return next
    }

    // MARK: - Time

    private func setTimer(_ date: Date) {
        let old = state.withLock { state in
            defer { state.timer = (date, nil) }
            return state.timer
        }
        old?.disposable?.dispose()
        let disposable = schedule(after: date) { $0.wake() }
        state.withLock { state in state.timer = (date, disposable) }
    }

    /// Calls `action` at a date. If the clock is set back meanwhile, so that the date comes late, it calls it after the
    /// time that the date is away now.
    @discardableResult
    private func schedule(after date: Date, _ action: @escaping @Sendable (Outbox) -> Void) -> any Disposable {
        let distance = min(max(date.timeIntervalSince(scheduler.currentDate), 0), 86_400)
        let sleep = Task { [weak self] in
            do { try await Task.sleep(for: .seconds(distance + 0.05)) } catch { return }
            if let self { action(self) }
        }
        let timer = scheduler.schedule(after: date) { [weak self] in
            sleep.cancel()
            if let self { action(self) }
        }
        return AnyDisposable {
            sleep.cancel()
            timer?.dispose()
        }
    }
}
