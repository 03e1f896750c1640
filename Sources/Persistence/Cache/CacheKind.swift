import Foundation

/// The way in which a ``CacheFile`` keeps the entities or the lists of a type.
protocol CacheKind: Sendable {
    var name: String { get }

    func restore(_ row: CacheFile.Row, into core: CacheCore) throws

    /// The row of an entity; nil if it is not of this kind.
    func row<Target: Entity>(of id: Target.ID, _ entity: Target?, _ storedAt: Date) -> CacheFile.PendingRow?

    /// The row of a list; nil if it is not of this kind.
    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> CacheFile.PendingRow?
}

extension CacheKind {
    func row<Target: Entity>(of id: Target.ID, _ entity: Target?, _ storedAt: Date) -> CacheFile.PendingRow? { nil }

    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> CacheFile.PendingRow? { nil }

    fileprivate func rowID(_ id: some Encodable) -> String {
        "\(name)/" + String(decoding: (try? rowEncoder().encode(id)) ?? Data(), as: UTF8.self)
    }
}

struct EntityKind<Kept: Entity & Codable>: CacheKind where Kept.ID: Encodable {
    let name: String

    func restore(_ row: CacheFile.Row, into core: CacheCore) throws {
        core.table(of: Kept.self).restore(try rowDecoder().decode(Kept.self, from: row.body), storedAt: row.storedAt)
    }

    func row<Target: Entity>(of id: Target.ID, _ entity: Target?, _ storedAt: Date) -> CacheFile.PendingRow? {
        guard Target.self == Kept.self, let id = id as? Kept.ID else { return nil }
        let entity = entity as? Kept
        return CacheFile.PendingRow(
            kind: name, storedAt: storedAt, id: { rowID(id) },
            body: { entity.flatMap { try? rowEncoder().encode($0) } })
    }
}

struct ListKind<Kept: ListKey & Codable>: CacheKind where Kept.Target.ID: Codable {
    let name: String

    /// The content of a list's row.
    private struct Body: Codable {
        let key: Kept
        let ids: [Kept.Target.ID]
        let gaps: [Kept.Target.ID]
        let next: String?
    }

    func restore(_ row: CacheFile.Row, into core: CacheCore) throws {
        let body = try rowDecoder().decode(Body.self, from: row.body)
        core.entryOrNew(body.key).set(EntityList(body.ids, gaps: Set(body.gaps), next: body.next))
    }

    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> CacheFile.PendingRow? {
        guard let key = key as? Kept else { return nil }
        let list = list as? EntityList<Kept.Target.ID>
        return CacheFile.PendingRow(
            kind: name, storedAt: .now, id: { rowID(key) },
            body: {
                list.flatMap {
                    try? rowEncoder().encode(Body(key: key, ids: $0.ids, gaps: Array($0.gaps), next: $0.next))
                }
            })
    }
}

/// Keys are sorted, so that equal ids have equal texts.
private func rowEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
}

private func rowDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
}
