import Foundation
import Persistence

// The server has done a write.

extension OutboxRules {
    /// Removes the first write of an entity, and makes the server's object the truth below the others.
    ///
    /// - Parameters:
    ///   - writes: The first write, and the second one if there is one.
    ///   - object: The server's object now.
    ///   - answer: The server's object when it answered, which may be older.
    ///   - isResult: `true` if the answer is the result of the write, and not only an object that has its values.
    func confirm(
        _ writes: [OutboxRow], _ object: Object?, answer: Object?, isResult: Bool,
        _ sent: (row: OutboxRow, write: Write)?, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        let first = writes[0]
        let confirmed: Write
        if let sent, sent.row.body == first.body { confirmed = sent.write } else { confirmed = try write(first) }
        guard writes.count > 1 else {
            rows.note(nil, of: first.entity)
            return try confirmOnly(first.number, confirmed, object, in: rows)
        }
        var second = writes[1]
        let next = try? write(second)
        if var next {
            next.follow(confirmed, leaving: answer, isResult: isResult)
            if let body = try? next.encoded() { second.body = body }
        }
        second.truth = schema.truth(object)
        // First, since the server has done the write, also if its object cannot be shown.
        try rows.remove(first.number)
        try rows.put(second)
        let known = try? schema.object(fromTruth: first.truth)
        // A pull may have brought what others have changed after this write was done.
        if isChanged(known, since: confirmed),
            !PrimitiveValue.areStoredAlike(known.flatMap(version), answer.flatMap(version))
        {
            try withdrawBases(of: rows.writes(of: first.entity).dropFirst(), known, hiddenBy: confirmed, in: rows)
        }
        // Then no object is shown, or one that a later write has added.
        if next?.kind == .delete { return }
        let expected = confirmed.applied(to: known).map(schema.values)
        // The shown object changes only if the server's result differs from the expected one. If a later write cannot be
        // read, the object stays as it is, and that write is parked when its turn comes.
        if try showVersion(of: object, insteadOf: expected, in: rows) { return }
        if let object, try show(object, belowWritesAfter: first, in: rows) { return }
        guard let rest = try? rows.writes(of: first.entity).map(write) else { return }
        try rows.show(rest.reduce(object) { $1.applied(to: $0) }, id: confirmed.id)
    }

    /// Shows the server's object below the writes that wait behind one which is done. Each of them is read once, however
    /// often the server sets columns of its own. Returns false if all of them must be read.
    private func show(
        _ object: Object, belowWritesAfter first: OutboxRow, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> Bool {
        var setters = rows.setters(of: first.entity) ?? ColumnSetters(columns: schema.columns.count)
        for row in try rows.writes(of: first.entity, after: max(setters.last, first.number)) {
            let write = try? write(row)
            setters.note(row.number, setting: write?.new.map { $0 != nil }, isDeletion: write?.kind == .delete)
        }
        rows.note(setters, of: first.entity)
        switch setters.effect(after: first.number) {
        case .unknown, .replaced: return true
        case let .columns(columns):
            guard let shown = try rows.shown(object.id).map(schema.values) else { return false }
            var values = schema.values(of: object)
            for column in columns { values[column] = shown[column] }
            guard let new = try? schema.object(from: values) else { return false }
            try rows.show(new, id: object.id)
            return true
        }
    }

    /// Removes the first write of an entity, which is done, and whose result cannot be read. The shown object stays as the
    /// writes have made it.
    ///
    /// - Parameters:
    ///   - writes: The first write, and the second one if there is one.
    ///   - values: The values of the server's object; nil for those that cannot be read. Empty if they are not known.
    func confirmUnread(
        _ writes: [OutboxRow], _ values: [PrimitiveValue?], isResult: Bool, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        let first = writes[0]
        try rows.remove(first.number)
        guard writes.count > 1 else { return rows.note(nil, of: first.entity) }
        var second = writes[1]
        second.truth = .unknownObject
        if let confirmed = try? write(first) {
            if let known = try? schema.object(fromTruth: first.truth) {
                second.truth = schema.truth(confirmed.applied(to: known).map { replacing(values, in: $0) })
            }
            if values.count == schema.columns.count, var next = try? write(second) {
                next.follow(confirmed, leaving: values, isResult: isResult)
                if let body = try? next.encoded() { second.body = body }
            }
        }
        try rows.put(second)
    }

    /// Returns an object with those values of the server's object that can be read.
    private func replacing(_ values: [PrimitiveValue?], in object: Object) -> Object {
        guard values.count == schema.columns.count else { return object }
        let replaced = zip(values, schema.values(of: object)).map { $0 ?? $1 }
        return (try? schema.object(from: replaced)) ?? object
    }

    private func version(of object: Object) -> PrimitiveValue? { versionColumn.map { schema.values(of: object)[$0] } }

    /// Returns true if an object has another version than the one on which a write is based.
    private func isChanged(_ object: Object?, since write: Write) -> Bool {
        object.flatMap(version).map { !PrimitiveValue.areStoredAlike($0, write.version) } ?? false
    }

    /// Takes the base from writes that were made on an object which others have changed after an earlier write was made,
    /// if that write has hidden their values on the screen. The server then finds the conflict.
    func withdrawBases(
        of writes: ArraySlice<OutboxRow>, _ known: Object?, hiddenBy earlier: Write, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        guard let known, isChanged(known, since: earlier) else { return }
        for var row in writes {
            guard var write = try? write(row), write.loseBase(schema.values(of: known), hiddenBy: earlier),
                let body = try? write.encoded()
            else { continue }
            row.body = body
            try rows.put(row)
        }
    }

    /// Gives the shown object the version of the server's object, if that differs from the expected values in nothing
    /// else: then the later writes need not be read. Returns false if there are other differences.
    private func showVersion(
        of object: Object?, insteadOf expected: [PrimitiveValue]?, in rows: some OutboxRows<Object>
    ) throws(StoreError) -> Bool {
        guard let object, var expected else { return object == nil && expected == nil }
        let values = schema.values(of: object)
        if areStoredAlike(expected, values) { return true }
        guard let versionColumn else { return false }
        let old = expected[versionColumn]
        expected[versionColumn] = values[versionColumn]
        guard areStoredAlike(expected, values) else { return false }
        guard let shown = try rows.shown(object.id) else { return true }
        var new = schema.values(of: shown)
        // A later write may have added the object again, with a version of its own.
        guard PrimitiveValue.areStoredAlike(new[versionColumn], old) else { return false }
        new[versionColumn] = values[versionColumn]
        guard let changed = try? schema.object(from: new) else { return false }
        try rows.show(changed, id: object.id)
        return true
    }

    private func areStoredAlike(_ one: [PrimitiveValue], _ other: [PrimitiveValue]) -> Bool {
        one.elementsEqual(other, by: PrimitiveValue.areStoredAlike)
    }

    /// Removes the only write of an entity, and shows the server's object.
    func confirmOnly(
        _ number: Int, _ write: Write, _ object: Object?, in rows: some OutboxRows<Object>
    ) throws(StoreError) {
        try rows.remove(number)
        let values = object.map(schema.values)
        // If the write has all columns and the server kept them, the shown object is already right.
        if let values, values.elementsEqual(write.new, by: ==) { return }
        if try rows.shown(write.id).map(schema.values) != values { try rows.show(object, id: write.id) }
    }
}
