import Foundation
import Networking
import Persistence
import Timeline

extension Account {
    public static func fixture(
        id: String = "1", handle: String = "ada", displayName: String = "Ada", note: HTMLText? = nil,
        statusesCount: Int? = nil
    ) -> Account {
        Account(id: id, handle: handle, displayName: displayName, note: note, statusesCount: statusesCount)
    }
}

extension Status {
    public static func fixture(
        id: String = "10", createdAt: DateTime = .fixture(), html: String = "<p>Hello</p>",
        account: Account = .fixture(), reblog: Status? = nil, inReplyToId: String? = nil, reblogsCount: Int = 0,
        favouritesCount: Int = 0, isFavourite: Bool? = false, isReblogged: Bool? = false
    ) -> Status {
        Status(
            id: id, createdAt: createdAt, content: HTMLText(html: html), account: account, reblog: reblog,
            inReplyToId: inReplyToId, reblogsCount: reblogsCount, favouritesCount: favouritesCount,
            isFavourite: isFavourite, isReblogged: isReblogged)
    }
}

extension DateTime {
    public static func fixture(_ seconds: TimeInterval = 1_700_000_000) -> DateTime {
        DateTime(Date(timeIntervalSince1970: seconds))
    }
}

extension CachedList<Status> {
    public static func fixture(
        _ statuses: [Status] = [.fixture()], next: String? = nil, gapAfter gap: Status.ID? = nil
    ) -> CachedList<Status> {
        var list = EntityList<Status.ID>()
        if let gap, let index = statuses.firstIndex(where: { $0.id == gap }) {
            list.append(statuses[(index + 1)...].map(\.id), next: next)
            list.prepend(statuses[...index].map(\.id), hasMore: true)
        } else {
            list.append(statuses.map(\.id), next: next)
        }
        return CachedList(list: list, entities: statuses)
    }
}
