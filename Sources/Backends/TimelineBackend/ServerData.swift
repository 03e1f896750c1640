import Foundation
import LocalBackend

/// The data of the server.
struct ServerData: Sendable {
    private(set) var accounts: [ServerAccount] = ServerData.people
    private var statuses: [UInt64: ServerStatus] = [:]
    /// The ids of all statuses, oldest first.
    private var ids: [UInt64] = []
    /// The number of statuses that were ever written.
    private var written = 0
    /// The number of next changes that are refused.
    var refusals = 0

    /// The greatest number of statuses, so that a server that runs for long does not grow for ever.
    private static let greatestCount = 10_000

    init(statusCount: Int) {
        for _ in 0..<statusCount { publish() }
    }

    /// All statuses, newest first.
    var timeline: [ServerStatus] { ids.reversed().compactMap { statuses[$0] } }

    // MARK: - Changing

    /// Writes the next statuses, and forgets the oldest beyond the greatest number.
    mutating func publish(_ count: Int) {
        for _ in 0..<max(0, count) { publish() }
        let old = max(0, ids.count - Self.greatestCount)
        for id in ids.prefix(old) { statuses[id] = nil }
        ids.removeFirst(old)
    }

    /// Writes the next status.
    private mutating func publish() {
        let number = written
        written += 1
        let id = 110_000_000_000_000_000 + UInt64(number) * 7_919
        let author = accounts[(number * 7 + number / 5) % accounts.count].id
        var status = ServerStatus(id: id, account: author, date: Self.firstDate + Double(number) * 613.25)
        let earlier = ids.suffix(40).dropLast(number % 7)
        if number % 9 == 8, let original = earlier.last(where: { statuses[$0]?.reblog == nil }) {
            status.reblog = original
            statuses[original]?.reblogsCount += 1
        } else {
            status.content = Self.content(number)
            if number % 6 == 5, let question = earlier.last(where: { statuses[$0]?.reblog == nil }) {
                status.inReplyTo = question
                statuses[question]?.repliesCount += 1
            }
        }
        status.favouritesCount = number * 13 % 23
        ids.append(id)
        statuses[id] = status
    }

    mutating func takeRefusal() throws {
        guard refusals > 0 else { return }
        refusals -= 1
        throw LocalBackend.Refusal(403, "This action is not allowed.")
    }

    mutating func rename(_ id: String, to name: String) throws -> ServerAccount {
        guard let index = accounts.firstIndex(where: { $0.id == id }) else { throw Self.notFound }
        // A letter can have any number of marks.
        guard name.count <= 30, name.utf8.count <= 500 else {
            throw LocalBackend.Refusal(422, "The display name is too long.")
        }
        accounts[index].display_name = name.trimmingCharacters(in: .whitespaces)
        return accounts[index]
    }

    mutating func act(_ act: String, on text: String) throws -> StatusJSON {
        let id = try find(text).id
        switch act {
        case "favourite", "unfavourite":
            let isOn = act == "favourite"
            if statuses[id]?.isFavourite != isOn { statuses[id]?.favouritesCount += isOn ? 1 : -1 }
            statuses[id]?.isFavourite = isOn
        default:
            let isOn = act == "reblog"
            if statuses[id]?.isReblogged != isOn { statuses[id]?.reblogsCount += isOn ? 1 : -1 }
            statuses[id]?.isReblogged = isOn
        }
        return json(try find(text))
    }

    // MARK: - Answers

    func account(_ id: String) throws -> ServerAccount {
        guard let account = accounts.first(where: { $0.id == id }) else { throw Self.notFound }
        return account
    }

    func status(_ id: String) throws -> StatusJSON { json(try find(id)) }

    func context(of id: String) throws -> ContextJSON {
        var ancestors: [ServerStatus] = []
        var status = try find(id)
        while let question = status.inReplyTo.flatMap({ statuses[$0] }) {
            ancestors.insert(question, at: 0)
            status = question
        }
        var thread = Set([try find(id).id])
        let descendants = ids.compactMap { statuses[$0] }.filter { status in
            guard let question = status.inReplyTo, thread.contains(question) else { return false }
            thread.insert(status.id)
            return true
        }
        return ContextJSON(ancestors: ancestors.map(json), descendants: descendants.map(json))
    }

    /// An element of a list; one in a hundred is broken.
    func listElement(_ status: ServerStatus) -> ListElementJSON {
        status.id / 7_919 % 100 == 42 ? .broken(id: "\(status.id)") : .status(json(status))
    }

    private func json(_ status: ServerStatus) -> StatusJSON {
        StatusJSON(
            status, account: accounts.first { $0.id == status.account } ?? accounts[0],
            reblog: status.reblog.flatMap { statuses[$0] }.map { [json($0)] } ?? [])
    }

    private func find(_ text: String) throws -> ServerStatus {
        guard let status = UInt64(text).flatMap({ statuses[$0] }) else { throw Self.notFound }
        return status
    }

    private static var notFound: LocalBackend.Refusal { LocalBackend.Refusal(404, "Record not found") }
    private static let firstDate = Date(timeIntervalSince1970: 1_760_000_000)
}

/// A status as the server keeps it.
struct ServerStatus: Sendable {
    let id: UInt64
    let account: String
    let date: Date
    var content = ""
    var reblog: UInt64?
    var inReplyTo: UInt64?
    var repliesCount = 0
    var reblogsCount = 0
    var favouritesCount = 0
    var isFavourite = false
    var isReblogged = false
}
