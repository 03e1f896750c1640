import Foundation
import Networking
import Persistence

extension RESTStore: OutboxTable {
    /// `false`: the object shows if an earlier attempt was done. It is read before each change and deletion, and before an
    /// insertion that is sent again.
    public var remembersKeys: Bool { false }

    /// Sends a write of an outbox.
    public func send(_ write: OutboxWrite<Object>, key: UUID) async -> OutboxAnswer<Object> {
        let sending =
            switch write.kind {
            case .insert, .upsert: insertion
            case .update: change
            case .delete: deletion
            }
        guard let sending else {
            return .refused(reason: "there is no resource to \(write.kind.verb) \(schema.name)", wasSent: false)
        }
        let isInsertion = write.kind == .insert || write.kind == .upsert
        var current: Object?
        if !isInsertion || write.mayBeDone {
            do throws(CoreError) {
                current = try await read(write.id)
            } catch {
                // An earlier attempt may have been done, and made the object one that cannot be read.
                if write.mayBeDone, case .parsing = error, !error.isWebPage { return .unconfirmed(reason: "\(error)") }
                return OutboxAnswer(error, mayBeDone: false)
            }
            let isExpected =
                isInsertion
                ? current == nil : current.map { write.isExpected($0) && !write.isDone(in: $0) } == true
            // The outbox notices that a write is done already.
            guard isExpected else { return .conflict(current) }
        }
        guard let object = write.kind == .delete ? current : write.applied(to: current) else {
            return .refused(reason: "\(schema.name) \(write.id) cannot be made of this write", wasSent: false)
        }
        do throws(CoreError) {
            guard let stored = try await sending(object, write, key) else { return await answer(afterDoing: write) }
            guard stored.id == write.id else {
                return .refused(reason: reason(stored.id, insteadOf: write.id))
            }
            // The answer to a deletion may be the object as it was.
            if write.kind == .update, isUnchanged(stored, by: write) { return notDone(write) }
            return .accepted(write.kind == .delete ? nil : stored)
        } catch {
            // The status is one from 200 to 299, so the server may have done the write.
            if case .parsing = error, !error.isWebPage { return await answer(afterDoing: write) }
            guard case let .status(failure) = error, [404, 409, 410, 412].contains(failure.code) else {
                return OutboxAnswer(error)
            }
            return await answer(reading: write) { current in
                isUnchanged(current, by: write) ? OutboxAnswer(error) : .conflict(current)
            }
        }
    }

    /// Reads the object after the server has answered without an error, and did not send the object back, or not in a
    /// form that can be read.
    ///
    /// The object may have other values than the write, since a server may set or normalize columns.
    private func answer(afterDoing write: OutboxWrite<Object>) async -> OutboxAnswer<Object> {
        await answer(reading: write, isReached: true) { current in
            if isUnchanged(current, by: write) { return notDone(write) }
            // It is done, and other columns may have been changed by other clients since, which later writes must not
            // overwrite.
            if write.kind == .update, write.isDone(in: current) { return .conflict(current) }
            // After a deletion there is no object, after the other writes there is one, unless another client was faster.
            return (current == nil) == (write.kind == .delete) ? .accepted(current) : .conflict(current)
        }
    }

    /// Throws if the server answers with another object, for example since it has merged two. A write must not change that one.
    func checked(_ object: Object, hasID id: Object.ID) throws(CoreError) -> Object {
        if object.id == id { return object }
        throw .parsing(ParsingFailure(reason: reason(object.id, insteadOf: id)))
    }

    private func reason(_ found: Object.ID, insteadOf id: Object.ID) -> String {
        "the server answered with \(schema.name) \(found.printed) instead of \(id.printed)"
    }

    private func notDone(_ write: OutboxWrite<Object>) -> OutboxAnswer<Object> {
        .refused(reason: "the server answered without an error, and left \(schema.name) \(write.id) as it was")
    }

    private func isUnchanged(_ current: Object?, by write: OutboxWrite<Object>) -> Bool {
        guard let current else { return write.kind == .insert || write.kind == .upsert }
        return switch write.kind {
        case .insert, .upsert: false
        // The version alone does not show it: it may be a time in seconds, in which there are several changes.
        case .update: write.isExpected(current) && !write.isDone(in: current) && write.hasOldValues(current)
        case .delete: write.isExpected(current)
        }
    }

    private func answer(
        reading write: OutboxWrite<Object>, isReached: Bool = false, _ answer: (Object?) -> OutboxAnswer<Object>
    ) async -> OutboxAnswer<Object> {
        do throws(CoreError) {
            return answer(try await read(write.id, isReached: isReached))
        } catch {
            let answer = OutboxAnswer<Object>(error, mayBeDone: true)
            // If it was not the server's success that led to the question, the write was refused.
            if !isReached, case let .unconfirmed(reason) = answer { return .refused(reason: reason) }
            return answer
        }
    }
}

extension OutboxWrite.Kind {
    fileprivate var verb: String {
        switch self {
        case .insert, .upsert: "add"
        case .update: "change"
        case .delete: "delete"
        }
    }
}
