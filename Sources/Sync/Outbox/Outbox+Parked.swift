import Feedback
import Persistence

// MARK: - Parked writes

extension Outbox {
    /// Sends a parked write again. If the server's object has changed, the write is applied to the changed object.
    ///
    /// If an answer was lost before the write was refused, the write may have been done. It is then sent as it was, with
    /// its key, so that a change by another client is a conflict.
    public func retry(_ id: ParkedWrite.ID) async throws(StoreError) {
        try unpark(id) { channel, row, transaction throws(StoreError) in
            try channel.retry(row, in: transaction)
        }
    }

    /// Drops a parked write. The object returns to the server's state, with the later writes on top. Later writes that
    /// are meaningless without it are dropped, too.
    public func giveUp(_ id: ParkedWrite.ID) async throws(StoreError) {
        try unpark(id) { channel, row, transaction throws(StoreError) in
            try channel.giveUp(row, in: transaction)
        }
    }

    /// Runs `body` with a parked write; it returns the numbers of the writes that it has removed.
    func unpark(
        _ number: Int, _ body: (any OutboxChannel, OutboxRow, SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int]
    ) throws(StoreError) {
        var channel: (any OutboxChannel)?
        var gone: [Int] = []
        try rows.perform { transaction throws(StoreError) in
            let subject = state.withLock { $0.queue.subject(of: number) }
            guard let row = try transaction.readableRow(number, of: subject), row.parking != .none,
                let known = state.withLock({ $0.channels[row.channel] })
            else { throw .missing(id: "\(number)") }
            channel = known
            gone = try body(known, row, transaction)
        }
        // First, since the write may be sent and parked again as soon as it is released.
        note(parked: [], gone: gone + [number])
        state.withLock { state in
            for number in gone { state.queue.remove(number) }
            state.queue.release(number)
        }
        publish()
        channel?.didSettle()
        wake()
    }

    func note(parked new: [OutboxRow], gone: [Int]) {
        if new.isEmpty, gone.isEmpty { return }
        let channels = state.withLock(\.channels)
        let writes = new.compactMap { row in
            channels[row.channel].map { channel in
                ParkedWrite(
                    id: row.number, table: row.channel, entity: row.entity, summary: channel.summary(of: row),
                    cause: .init(row.parking), reason: row.reason ?? "", date: row.date)
            }
        }
        let gone = Set(gone + new.map(\.number))
        parkedProperty.modify { parked in
            parked.removeAll { gone.contains($0.id) }
            parked += writes
            parked.sort { $0.id < $1.id }
        }
    }
}
