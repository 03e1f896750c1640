import Feedback
import Foundation
import Networking
import Persistence
import Timeline

private let pageCount = 25
private let pageSize = 40

/// The row on the timeline: from the bytes of a page to the screens.
let timelineBenchmarks: [Benchmark] = [pageToWatchers]

private let pageToWatchers = Benchmark(
    "timeline: a page of 40 statuses, from bytes to all watchers", per: "page", operations: pageCount,
    goal: .ratio(1.3),
    baseline: ("decoding it", { for page in timelinePages { sink.add(decode(page).count) } }),
    ours: { for page in timelinePages { show(decode(page)) } })

/// A cache that keeps little more than a page, so that each page is new to it, and three screens: the timeline, a status, and a
/// profile.
private let screens = Screens()

private struct Screens {
    let cache = NormalizedCache(limits: CacheLimits(count: 100))
    private let watches: [any Disposable]

    init() {
        let cache = cache
        watches = [
            cache.watch(TimelineKey.home).startWithValues { sink.add($0?.entities.count ?? 0) },
            cache.watch(Reference<Status>("7")).startWithValues { sink.add($0?.favouritesCount ?? 0) },
            cache.watch { cache in
                cache[Reference<Account>("3")].map {
                    Profile(account: $0, timeline: cache.list(TimelineKey.account("3")))
                }
            }.startWithValues { sink.add($0?.account.name.utf8.count ?? 0) },
        ]
    }
}

private func show(_ statuses: [Status]) {
    screens.cache.change { batch in
        batch.store(statuses)
        batch.setList(TimelineKey.home, EntityList(statuses.map(\.id)))
        batch.setList(TimelineKey.account("3"), EntityList(statuses.filter { $0.account.id == "3" }.map(\.id)))
    }
}

private func decode(_ page: Data) -> [Status] {
    let statuses: Result<[Status], CoreError> = Parser.parse(page, strategy: .prune)
    return (try? statuses.get()) ?? []
}

/// Pages of statuses, as a server sends them.
let timelinePages: [Data] = (0..<pageCount).map { page in
    let statuses = (0..<pageSize).map { status(page * pageSize + $0) }
    return Data("[\(statuses.joined(separator: ","))]".utf8)
}

/// A status as servers send it, about 3 KB; one in eight repeats another.
private func status(_ number: Int, isNested: Bool = false) -> String {
    let reblog = !isNested && number % 8 == 7 ? status(1_000_000 + number, isNested: true) : "null"
    let text = String(repeating: "A heron has come back to the harbour, &amp; nobody knew. ", count: 6)
    return """
        {"id":"\(number)","created_at":"2026-11-20T18:12:05.\(100 + number % 900)Z","in_reply_to_id":null,
        "in_reply_to_account_id":null,"sensitive":false,"spoiler_text":"","visibility":"public","language":"en",
        "uri":"https://m.example/users/someone/statuses/\(number)","url":"https://m.example/@someone/\(number)",
        "replies_count":1,"reblogs_count":2,"favourites_count":\(number),"edited_at":null,"favourited":false,
        "reblogged":false,"muted":false,"bookmarked":false,"pinned":false,"filtered":[],
        "content":"<p>\(text)<br><a href=\\"https://m.example/@bo\\" class=\\"u-url mention\\">@<span>bo</span></a></p>",
        "application":{"name":"Web","website":null},"reblog":\(reblog),
        "account":{"id":"\(number % 12)","username":"someone","acct":"someone","display_name":"Some One","locked":false,
        "bot":false,"discoverable":true,"group":false,"created_at":"2020-01-01T00:00:00.000Z",
        "note":"<p>\(text)</p>","url":"https://m.example/@someone","avatar":"https://m.example/avatars/original.png",
        "avatar_static":"https://m.example/avatars/original.png","header":"https://m.example/headers/original.png",
        "header_static":"https://m.example/headers/original.png","followers_count":10,"following_count":11,
        "statuses_count":12,"last_status_at":"2026-11-20","emojis":[],
        "fields":[{"name":"Web","value":"<a href=\\"https://a.example\\">a.example</a>","verified_at":null}]},
        "media_attachments":[{"id":"1","type":"image","url":"https://m.example/media/original.png",
        "preview_url":"https://m.example/media/small.png","remote_url":null,"meta":{"original":{"width":100,"height":100}},
        "description":"A bridge in the fog","blurhash":"UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH"}],
        "mentions":[{"id":"2","username":"bo","url":"https://m.example/@bo","acct":"bo"}],
        "tags":[{"name":"heron","url":"https://m.example/tags/heron"}],"emojis":[],"card":null,"poll":null}
        """.replacing("\n", with: "")
}
