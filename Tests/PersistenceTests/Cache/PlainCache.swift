/// A plain model of the normalized cache: every entity by its properties, each with when it was asked for.
struct PlainCache {
    private struct Record {
        var text = ""
        var author = ""
        var quoted: Int?
        var isLiked: Bool?
        var isThere = false
        var moment = 0
        var likedMoment = 0
        var layers: [(id: Int, text: String, isConfirmed: Bool)] = []
    }

    private var records: [Int: Record] = [:]
    private var names: [String: (name: String, moment: Int)] = [:]
    private var time = 0
    private var lastRemovalOfAll = 0
    /// Nil before it was set.
    var list: [Int]?

    var pendingIDs: [Int] { records.filter { !$0.value.layers.isEmpty }.map(\.key) }

    mutating func tick() -> Int {
        time += 1
        return time
    }

    func post(_ id: Int) -> Post? {
        guard let record = records[id], record.isThere else { return nil }
        let author = Author(id: record.author, name: names[record.author]?.name ?? "?")
        return Post(
            id: id, text: record.layers.last?.text ?? record.text, author: author,
            quoted: record.quoted.flatMap(post), isLiked: record.isLiked)
    }

    /// The ids that a post leads to, also of posts that are not there.
    func links(_ id: Int) -> [Int] { [id] + (records[id]?.quoted.map(links) ?? []) }

    mutating func store(_ post: Post, asOf moment: Int) {
        guard moment > lastRemovalOfAll else { return }
        if moment >= names[post.author.id]?.moment ?? 0 { names[post.author.id] = (post.author.name, moment) }
        if let quoted = post.quoted { store(quoted, asOf: moment) }
        var record = records[post.id] ?? Record()
        if moment >= record.moment {
            record.moment = moment
            (record.text, record.author, record.quoted) = (post.text, post.author.id, post.quoted?.id)
            if !record.isThere { (record.isLiked, record.likedMoment) = (nil, 0) }
            record.isThere = true
        }
        if record.isThere, let isLiked = post.isLiked, moment >= record.likedMoment {
            (record.isLiked, record.likedMoment) = (isLiked, moment)
        }
        records[post.id] = record
    }

    mutating func remove(_ id: Int) {
        let now = tick()
        records[id, default: Record()].isThere = false
        records[id]?.moment = now
    }

    mutating func removeAll() {
        (records, names, list) = ([:], [:], nil)
        lastRemovalOfAll = tick()
    }

    mutating func forget(_ id: Int) { records[id] = nil }

    mutating func forgetAuthor(_ id: String) { names[id] = nil }

    // MARK: - Changes

    mutating func apply(_ text: String, to id: Int, as change: Int) {
        records[id, default: Record()].layers.append((change, text, false))
    }

    /// The post that was confirmed, if it is there.
    mutating func confirm(_ change: Int) -> Post? {
        guard let id = records.first(where: { $0.value.layers.contains { $0.id == change } })?.key else { return nil }
        let layers = records[id]?.layers ?? []
        records[id]?.layers = layers.map { ($0.id, $0.text, $0.isConfirmed || $0.id == change) }
        settle(id)
        let now = tick()
        records[id]?.moment = now
        if records[id]?.isLiked != nil { records[id]?.likedMoment = now }
        return post(id)
    }

    mutating func rollBack(_ change: Int) {
        for id in Array(records.keys) {
            records[id]?.layers.removeAll { $0.id == change }
            settle(id)
        }
    }

    private mutating func settle(_ id: Int) {
        while let first = records[id]?.layers.first, first.isConfirmed {
            records[id]?.text = first.text
            records[id]?.layers.removeFirst()
        }
    }
}
