import Feedback
import Foundation
import JSON

/// The way in which a ``CacheFile`` keeps the entities or the lists of a type.
protocol CacheKind: Sendable {
    var name: String { get }

    /// Restores the content of a row; returns the id of another row of the same key, which was restored before.
    func restore(_ row: CacheFile.Row, into core: CacheCore) throws -> String?

    /// Forgets the ids of all rows, which are about to be deleted.
    func forgetRows()

    /// The row of an entity; nil if it is not of this kind.
    func row<Target: Entity>(of id: Target.ID, _ entity: Target?, _ storedAt: Date) -> CacheFile.PendingRow?

    /// The row of a list; nil if it is not of this kind.
    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> CacheFile.PendingRow?
}

extension CacheKind {
    func row<Target: Entity>(of id: Target.ID, _ entity: Target?, _ storedAt: Date) -> CacheFile.PendingRow? { nil }

    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> CacheFile.PendingRow? { nil }
}

/// The ids of the rows of a kind. Each is the JSON of a key.
///
/// Equal keys may have several texts: a set, for example, has another order at each launch. So the id is remembered if the text
/// is more than a single value.
private final class RowIDs<Key: Hashable & Encodable & Sendable>: Sendable {
    private let kind: String
    private let known = Locked<[Key: String]>([:])

    init(kind: String) { self.kind = kind }

    func id(of key: Key) -> String {
        let json = (try? RowJSON.encoder.encode(key)) ?? Data()
        let id = "\(kind)/" + String(decoding: json, as: UTF8.self)
        guard isRemembered(id) else { return id }
        return known.withLock { known in
            if let id = known[key] { return id }
            known[key] = id
            return id
        }
    }

    /// Remembers the id of a row of the file; returns the id of another row of the same key.
    func restore(_ id: String, of key: Key) -> String? {
        isRemembered(id) ? known.withLock { $0.updateValue(id, forKey: key) } : nil
    }

    func forget(_ key: Key) { known.withLock { $0[key] = nil } }

    func forgetAll() { known.withLock { $0 = [:] } }

    private func isRemembered(_ id: String) -> Bool {
        id.utf8.dropFirst(kind.utf8.count + 1).first.map { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? false
    }
}

struct EntityKind<Kept: Entity & Codable>: CacheKind where Kept.ID: Encodable {
    let name: String
    private let ids: RowIDs<Kept.ID>

    init(name: String) {
        self.name = name
        ids = RowIDs(kind: name)
    }

    func restore(_ row: CacheFile.Row, into core: CacheCore) throws -> String? {
        let entity = try RowJSON.decoder.decode(Kept.self, from: row.body)
        core.table(of: Kept.self).restore(entity, storedAt: row.storedAt)
        return ids.restore(row.id, of: entity.id)
    }

    func forgetRows() { ids.forgetAll() }

    func row<Target: Entity>(of id: Target.ID, _ entity: Target?, _ storedAt: Date) -> CacheFile.PendingRow? {
        guard Target.self == Kept.self, let id = id as? Kept.ID else { return nil }
        let entity = entity as? Kept
        return CacheFile.PendingRow(
            kind: name, storedAt: storedAt, id: { ids.id(of: id) }, forget: { ids.forget(id) },
            body: { entity.flatMap { try? RowJSON.encoder.encode($0) } })
    }
}

struct ListKind<Kept: ListKey & Codable>: CacheKind where Kept.Target.ID: Codable {
    let name: String
    private let ids: RowIDs<Kept>

    init(name: String) {
        self.name = name
        ids = RowIDs(kind: name)
    }

    /// The content of a list's row.
    private struct Body: Codable {
        let key: Kept
        let ids: [Kept.Target.ID]
        let gaps: [Kept.Target.ID]
        let next: String?
    }

    func restore(_ row: CacheFile.Row, into core: CacheCore) throws -> String? {
        let body = try RowJSON.decoder.decode(Body.self, from: row.body)
        core.entryOrNew(body.key).set(EntityList(body.ids, gaps: Set(body.gaps), next: body.next))
        return ids.restore(row.id, of: body.key)
    }

    func forgetRows() { ids.forgetAll() }

    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> CacheFile.PendingRow? {
        guard let key = key as? Kept else { return nil }
        let list = list as? EntityList<Kept.Target.ID>
        return CacheFile.PendingRow(
            kind: name, storedAt: .now, id: { ids.id(of: key) }, forget: { ids.forget(key) },
            body: {
                list.flatMap {
                    try? RowJSON.encoder.encode(Body(key: key, ids: $0.ids, gaps: Array($0.gaps), next: $0.next))
                }
            })
    }
}

/// The form of the JSON in rows.
private enum RowJSON {
    /// Sorts keys, so that most equal ids have equal texts, and escapes slashes, as the ids in existing files do.
    static let encoder = StrictJSONEncoder.sortingKeys(escapesSlashes: true, floats: floats)
    static let decoder = StrictJSONDecoder(floats: floats)

    /// The texts for numbers that JSON does not have.
    private static let floats = FloatNames(infinity: "inf", negativeInfinity: "-inf", nan: "nan")
}
