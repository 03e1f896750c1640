import Foundation

/// An account as it is sent.
struct ServerAccount: Encodable, Sendable {
    let id: String
    let acct: String
    var display_name: String
    let note: String
    let followers_count: Int
    let following_count: Int
    let statuses_count: Int
    let bot = false
    let fields: [String] = []

    private enum CodingKeys: String, CodingKey {
        case id, acct, display_name, note, followers_count, following_count, statuses_count, bot, fields
    }
}

/// A status as it is sent.
struct StatusJSON: Encodable, Sendable {
    private let status: ServerStatus
    private let account: ServerAccount
    /// One status or none.
    private let reblog: [StatusJSON]

    init(_ status: ServerStatus, account: ServerAccount, reblog: [StatusJSON]) {
        self.status = status
        self.account = account
        self.reblog = reblog
    }

    private enum Key: String, CodingKey {
        case id, created_at, edited_at, in_reply_to_id, sensitive, spoiler_text, visibility, language, uri, url
        case replies_count, reblogs_count, favourites_count, favourited, reblogged, content, reblog, account
        case media_attachments, mentions, tags, emojis, card, poll
    }

    func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        let number = status.id / 7_919
        try json.encode("\(status.id)", forKey: .id)
        try json.encode(date(status.date, hasFraction: number % 3 > 0), forKey: .created_at)
        // Old servers do not send this key, and others send null.
        if number % 4 == 0 { try json.encode(date(status.date + 60, hasFraction: true), forKey: .edited_at) }
        if number % 4 == 1 { try json.encodeNil(forKey: .edited_at) }
        try json.encode(status.inReplyTo.map { "\($0)" }, forKey: .in_reply_to_id)
        try json.encode(false, forKey: .sensitive)
        try json.encode(number % 25 == 7 ? "Spiders" : "", forKey: .spoiler_text)
        try json.encode("public", forKey: .visibility)
        try json.encode(number % 2 == 0 ? "en" : nil, forKey: .language)
        try json.encode("https://m.example/statuses/\(status.id)", forKey: .uri)
        try json.encode("https://m.example/@\(account.acct)/\(status.id)", forKey: .url)
        try json.encode(status.repliesCount, forKey: .replies_count)
        try json.encode(status.reblogsCount, forKey: .reblogs_count)
        try json.encode(status.favouritesCount, forKey: .favourites_count)
        try json.encode(status.isFavourite, forKey: .favourited)
        try json.encode(status.isReblogged, forKey: .reblogged)
        try json.encode(status.content, forKey: .content)
        try json.encode(reblog.first, forKey: .reblog)
        try json.encode(account, forKey: .account)
        try json.encode(number % 10 == 3 ? [Media()] : [], forKey: .media_attachments)
        try json.encode([String](), forKey: .mentions)
        try json.encode([String](), forKey: .tags)
        try json.encode(number % 8 == 4 ? [Emoji()] : [], forKey: .emojis)
        try json.encode(number % 8 == 3 ? Card() : nil, forKey: .card)
        try json.encodeNil(forKey: .poll)
    }

    private struct Media: Encodable {
        let id = "9"
        let type = "image"
        let description: String? = "A bridge in the fog"
    }

    private struct Emoji: Encodable {
        let shortcode = "blobcat"
        let url = "https://m.example/emoji/blobcat.png"
    }

    private struct Card: Encodable {
        let url = "https://www.notes.example/a-long-story"
        let title = "A long story"
        let type = "link"
    }

    private func date(_ date: Date, hasFraction: Bool) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }
}

struct ContextJSON: Encodable, Sendable {
    let ancestors: [StatusJSON]
    let descendants: [StatusJSON]
}

/// An element of a list of statuses.
enum ListElementJSON: Encodable, Sendable {
    case status(StatusJSON)
    /// Something that is not a status.
    case broken(id: String)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case let .status(status): try status.encode(to: encoder)
        case let .broken(id): try ["id": id, "created_at": "yesterday"].encode(to: encoder)
        }
    }
}
