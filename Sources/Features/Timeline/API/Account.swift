import Networking
import Persistence
import Presentation

/// An account on a Mastodon server.
public struct Account: Entity, Codable {
    public var id: String
    /// The name, with the server if that is another one: `ann`, `ben@example.org`.
    public var handle: String
    /// The display name; empty if the account has none.
    public var displayName: String
    /// The account's description of itself. Some answers leave it out.
    public var note: HTMLText?
    public var followersCount: Int?
    public var followingCount: Int?
    public var statusesCount: Int?
    /// `true` while the display name is one that the server has not confirmed.
    var isBeingRenamed = false

    public init(
        id: String, handle: String, displayName: String = "", note: HTMLText? = nil, followersCount: Int? = nil,
        followingCount: Int? = nil, statusesCount: Int? = nil
    ) {
        self.id = id
        self.handle = handle
        self.displayName = displayName
        self.note = note
        self.followersCount = followersCount
        self.followingCount = followingCount
        self.statusesCount = statusesCount
    }

    /// Gives it a name that the server has not confirmed yet.
    mutating func rename(to name: String) {
        guard displayName != name else { return }
        displayName = name
        isBeingRenamed = true
    }

    /// The name to show: the display name, or the handle if it is empty.
    public var name: String { displayName.isEmpty ? handle : displayName }

    public static let partialProperties: [PartialProperty<Account>] = [
        PartialProperty(\.note), PartialProperty(\.followersCount), PartialProperty(\.followingCount),
        PartialProperty(\.statusesCount),
    ]

    public var byteCount: Int {
        MemoryLayout<Self>.stride + id.utf8.count + handle.utf8.count + displayName.utf8.count
            + (note?.byteCount ?? 0)
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case handle = "acct"
        case displayName = "display_name"
        case note
        case followersCount = "followers_count"
        case followingCount = "following_count"
        case statusesCount = "statuses_count"
    }
}

/// A text that a server sends as HTML.
public struct HTMLText: Codable, Equatable, Sendable {
    public var html: String

    public init(html: String) { self.html = html }

    /// The text without markup. It is computed at each call, since most texts of a page, such as the notes of the
    /// accounts, are never shown.
    public var plain: String { PlainText.of(html: html) }

    public init(from decoder: any Decoder) throws {
        self.init(html: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(html)
    }

    var byteCount: Int { html.utf8.count }
}
