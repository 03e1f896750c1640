import Foundation
import Persistence

// Basing a write on another object.

extension OutboxWrite {
    /// Returns the columns that this write changes and another client has changed to a different value meanwhile.
    ///
    /// - Parameter mayBeDone: `true` if the write may have been done already. If one of the changed columns has the new
    ///   value, the write was done; columns with other values were then changed by another client after it, also back
    ///   to their old values. If objects have versions, the write counts as done, too, since it may be one of the
    ///   changes since its version.
    func contestedColumns(in current: Object, mayBeDone: Bool = false) -> [Int] {
        let values = schema.values(of: current)
        let set = new.indices.filter { new[$0] != nil && old[$0] != nil }
        let changed = set.filter { !isSame(old[$0], new[$0]) }
        let wasDone = mayBeDone && (versionColumn != nil || changed.contains { isSame(values[$0], new[$0]) })
        return (wasDone ? set : changed).filter {
            !isSame(values[$0], new[$0]) && (wasDone || !isSame(values[$0], old[$0]))
        }
    }

    /// Returns true if the server's object already is as this write would make it, perhaps since an earlier attempt was
    /// done and its answer lost. A deletion is done if there is no object.
    public func isDone(in current: Object?) -> Bool {
        guard let current else { return kind == .delete }
        guard kind != .delete else { return false }
        return zip(schema.values(of: current), new).enumerated().allSatisfy { index, pair in
            index == versionColumn || pair.1 == nil || isSame(pair.1, pair.0)
        }
    }

    /// Returns true if a row of the server that is not an object has the values of this write.
    func isDone(inValues values: [PrimitiveValue?]) -> Bool {
        kind != .delete
            && new.indices.allSatisfy { $0 == versionColumn || new[$0] == nil || isSame(new[$0], values[$0]) }
    }

    /// Makes a change add an object that the server no longer has. A deletion stays one.
    mutating func addAgain(_ object: Object?) {
        firstVersion = nil
        guard let object, kind != .delete else { return }
        (kind, version) = (.upsert, nil)
        new = schema.values(of: object)
        old = Array(repeating: nil, count: new.count)
        unseen = []
    }

    /// Bases the write on the server's object; see ``addAgain(_:)`` if that is gone. If the object already is as the
    /// write would make it, the write becomes empty.
    ///
    /// - Parameter isNamed: `true` if a conflict has named the columns that others have changed.
    mutating func rebase(on current: Object?, meaning object: Object?, isNamed: Bool) {
        guard let current else { return addAgain(object) }
        firstVersion = nil
        let values = schema.values(of: current)
        version = versionColumn.map { values[$0] }
        switch kind {
        case .delete:
            old = values
        case .insert, .update, .upsert:
            kind = .update
            // A column that has the value already is left out, so that the write does not conflict with later changes
            // of it.
            for index in new.indices {
                if index == versionColumn || isSame(new[index], values[index]) { new[index] = nil }
                let base = new[index] == nil ? nil : values[index]
                if !isSame(base, old[index]) {
                    if base == nil || isNamed { unseen.remove(index) } else { unseen.insert(index) }
                }
                old[index] = base
            }
        }
    }

    /// Adapts this write, which is based on an object that a person saw, to the one that is shown now. Columns that have
    /// their new values already are left out.
    mutating func follow(shown object: Object) {
        let values = schema.values(of: object)
        for index in new.indices where isSame(new[index], values[index]) { (new[index], old[index]) = (nil, nil) }
        if isUnchanged(in: values) { takeVersion(of: values) }
    }

    /// Adapts this write to an earlier one that the server has accepted: the columns which that write has set are no
    /// conflict.
    ///
    /// - Parameters:
    ///   - object: The server's object after the earlier write.
    ///   - isResult: `true` if the server has checked the expectations of the earlier write, and done it, and this is
    ///     the result.
    mutating func follow(_ earlier: Self, leaving object: Object?, isResult: Bool) {
        guard let object, kind == .update || kind == .delete else { return }
        follow(earlier, leaving: schema.values(of: object), isResult: isResult)
    }

    /// - Parameter values: The values of the server's object; nil for those that cannot be read.
    mutating func follow(_ earlier: Self, leaving values: [PrimitiveValue?], isResult: Bool) {
        guard kind == .update || kind == .delete else { return }
        // If both writes are based on the same version, no other client has changed the object between them. What the
        // earlier one has not set, such as a column that the server computes, is the server's work.
        if isResult, !earlier.isEmpty, let base = baseVersion, base != .null, base == earlier.baseVersion {
            for index in old.indices where old[index] != nil { old[index] = values[index] ?? old[index] }
            takeVersion(of: values)
            firstVersion = base
            return
        }
        for index in old.indices where old[index] != nil && earlier.new[index] != nil {
            old[index] = values[index] ?? old[index]
        }
        takeVersion(of: values, after: earlier)
    }

    /// Adapts this write to an earlier one that was given up: it gets the base of that write. If a person has not seen
    /// that base, the columns that the server's object has with other values are a conflict, as with an insertion, which
    /// has no base.
    mutating func follow(_ earlier: Self, givenUpFor object: Object?) {
        guard let object, kind == .update || kind == .delete else { return }
        let values = schema.values(of: object)
        for index in old.indices where old[index] != nil && !isSame(old[index], values[index]) {
            if earlier.new[index] == nil || earlier.unseen.contains(index) { continue }
            old[index] = earlier.old[index] ?? old[index]
        }
        takeVersion(of: values, after: earlier)
    }

    /// Takes the base from this write if it was made on a newer object of the server, and an earlier write of this device,
    /// which is gone now, has hidden a value of that object on the screen. Returns true if it has.
    ///
    /// - Parameter values: The newer object.
    mutating func loseBase(_ values: [PrimitiveValue], hiddenBy earlier: Self) -> Bool {
        let isHidden = old.indices.contains { index in
            index != versionColumn && old[index] != nil && isSame(old[index], earlier.new[index])
                && !isSame(old[index], values[index])
        }
        guard isHidden, let versionColumn, isSame(baseVersion, values[versionColumn]) else { return false }
        takeVersion(of: values, after: earlier)
        return true
    }

    private var baseVersion: PrimitiveValue? { firstVersion ?? version }

    /// Bases this write on the version of an object if that still has all old values. If another client has changed one
    /// of them, the write gets a version that the server no longer has, so that the server finds the conflict. It cannot
    /// keep its own: that may be the version of a later object, whose values the earlier write has hidden on the screen.
    private mutating func takeVersion(of values: [PrimitiveValue?], after earlier: Self) {
        if isUnchanged(in: values) { return takeVersion(of: values) }
        firstVersion = nil
        guard let versionColumn else { return }
        // The server may not be able to compare all old values. So they are compared only if its objects have the version
        // null.
        version = earlier.version
        if version == nil || isSame(version, values[versionColumn]) {
            version = values[versionColumn] == .null ? nil : .null
        }
    }

    private mutating func takeVersion(of values: [PrimitiveValue?]) {
        guard let versionColumn, let new = values[versionColumn] else { return }
        (version, firstVersion) = (new, nil)
    }

    /// Returns true if an object still has all old values.
    func hasOldValues(_ object: Object) -> Bool { isUnchanged(in: schema.values(of: object)) }

    /// Returns true if an object with these values still has all old values.
    private func isUnchanged(in values: [PrimitiveValue?]) -> Bool {
        old.indices.allSatisfy { $0 == versionColumn || old[$0] == nil || isSame(old[$0], values[$0]) }
    }
}
