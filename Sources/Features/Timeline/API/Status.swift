import Foundation
import Networking
import Persistence

/// A post, or a post that repeats another one.
public struct Status: Entity, Codable {
    // The properties are in the order in which servers send them, so that the decoder finds each key without a search.
    public var id: String
    public var createdAt: DateTime
    public var inReplyToId: String?
    /// A warning to show before the content.
    public var spoilerText: String?
    public var repliesCount: Int
    public var reblogsCount: Int
    public var favouritesCount: Int
    public var editedAt: DateTime?
    /// `true` if it is a favourite of the signed-in account. Some answers leave it out.
    public var isFavourite: Bool?
    /// `true` if the signed-in account has repeated it. Some answers leave it out.
    public var isReblogged: Bool?
    public var content: HTMLText
    /// The status that this one repeats.
    @Indirect public var reblog: Status? = nil
    public var account: Account
    public var mediaAttachments: [MediaAttachment]?
    public var card: PreviewCard?

    public init(
        id: String, createdAt: DateTime, editedAt: DateTime? = nil, content: HTMLText, spoilerText: String? = nil,
        account: Account, reblog: Status? = nil, inReplyToId: String? = nil, repliesCount: Int = 0,
        reblogsCount: Int = 0, favouritesCount: Int = 0, isFavourite: Bool? = nil, isReblogged: Bool? = nil,
        card: PreviewCard? = nil, mediaAttachments: [MediaAttachment]? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.editedAt = editedAt
        self.content = content
        self.spoilerText = spoilerText
        self.account = account
        self.reblog = reblog
        self.inReplyToId = inReplyToId
        self.repliesCount = repliesCount
        self.reblogsCount = reblogsCount
        self.favouritesCount = favouritesCount
        self.isFavourite = isFavourite
        self.isReblogged = isReblogged
        self.card = card
        self.mediaAttachments = mediaAttachments
    }

    /// The status whose text is shown: the repeated one, or itself.
    public var shown: Status { reblog ?? self }

    // MARK: - Entity

    public mutating func visitLinks(_ visitor: inout LinkVisitor) {
        visitor.visit(&account)
        visitor.visit(&_reblog)
    }

    public static let partialProperties: [PartialProperty<Status>] = [
        PartialProperty(\.isFavourite), PartialProperty(\.isReblogged),
    ]

    public var byteCount: Int { MemoryLayout<Self>.stride + content.byteCount + 64 * (mediaAttachments?.count ?? 0) }

    private enum CodingKeys: String, CodingKey {
        case id
        case createdAt = "created_at"
        case inReplyToId = "in_reply_to_id"
        case spoilerText = "spoiler_text"
        case repliesCount = "replies_count"
        case reblogsCount = "reblogs_count"
        case favouritesCount = "favourites_count"
        case editedAt = "edited_at"
        case isFavourite = "favourited"
        case isReblogged = "reblogged"
        case content
        case reblog
        case account
        case mediaAttachments = "media_attachments"
        case card
    }
}

// MARK: - What a person does with it

extension Status {
    /// Sets or removes the favourite, and updates the count. Does nothing if it is so already.
    mutating func setFavourite(_ isFavourite: Bool) {
        guard self.isFavourite ?? false != isFavourite else { return }
        self.isFavourite = isFavourite
        favouritesCount = favouritesCount.with(isFavourite)
    }

    /// Repeats the status or takes that back, and updates the count. Does nothing if it is so already.
    mutating func setReblogged(_ isReblogged: Bool) {
        guard self.isReblogged ?? false != isReblogged else { return }
        self.isReblogged = isReblogged
        reblogsCount = reblogsCount.with(isReblogged)
    }
}

extension Int {
    /// The count with one person more, or one fewer. A server may send any number, also one that cannot be exceeded.
    fileprivate func with(_ isOneMore: Bool) -> Int {
        let (count, overflows) = addingReportingOverflow(isOneMore ? 1 : -1)
        return Swift.max(0, overflows ? self : count)
    }
}

/// A preview of a page that a status links to.
public struct PreviewCard: Codable, Equatable, Sendable {
    public var url: String
    public var title: String

    public init(url: String, title: String) {
        self.url = url
        self.title = title
    }
}

/// A picture, a film or a sound of a status.
public struct MediaAttachment: Codable, Equatable, Sendable {
    public var type: String
    /// A description in words, for people who cannot see or hear it.
    public var description: String?

    public init(type: String, description: String? = nil) {
        self.type = type
        self.description = description
    }
}

/// The thread of a status: the statuses that it answers, and those that answer it.
public struct StatusContext: Decodable, Equatable, Sendable {
    @Pruned public var ancestors: [Status]
    @Pruned public var descendants: [Status]

    public init(ancestors: [Status] = [], descendants: [Status] = []) {
        _ancestors = Pruned(wrappedValue: ancestors)
        _descendants = Pruned(wrappedValue: descendants)
    }
}
