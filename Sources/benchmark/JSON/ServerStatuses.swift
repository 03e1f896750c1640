import Foundation

/// Pages of statuses with what servers send and few apps read: long HTML with escapes, parts that come and go, texts in several
/// scripts, and, where several servers answer, keys in an order of each.
enum ServerStatuses {
    static func pages(servers: Int = 1, isIndented: Bool = false) -> [Data] {
        (0..<25).map { page in
            let statuses = (page * 40..<page * 40 + 40).map { status($0).ordered(by: $0 % servers) }
            return Data(Body.list(statuses).text(isIndented ? "\n" : "").utf8)
        }
    }

    private static func status(_ number: Int) -> Body {
        let id = "11\(4_000_000_000_000_000 + number * 7_919)"
        var members: [Body.Member] = [
            ("id", .string(id)), ("created_at", .string("2026-11-20T18:12:05.\(100 + number % 900)Z")),
            ("in_reply_to_id", number % 4 == 1 ? .string("114\(number)") : .null),
            ("in_reply_to_account_id", number % 4 == 1 ? .string("12") : .null), ("sensitive", .plain("false")),
            ("spoiler_text", .string(number % 9 == 0 ? "A long walk" : "")), ("visibility", .string("public")),
            ("language", .string(number % 3 == 2 ? "ja" : "en")),
            ("uri", .string("https://harbour.example/users/heron\(number % 12)/statuses/\(id)")),
            ("url", .string("https://harbour.example/@heron\(number % 12)/\(id)")),
            ("replies_count", .plain("\(number % 5)")), ("reblogs_count", .plain("\(number * 3)")),
            ("favourites_count", .plain("\(number * 17)")), ("quotes_count", .plain("0")),
            ("edited_at", number % 6 == 0 ? .string("2026-11-20T18:20:00.000Z") : .null),
            ("content", .string(html(number))), ("reblog", .null), ("account", account(number % 12)),
            ("media_attachments", .list((0..<number % 3).map { media(number, isFilm: $0 == 1 && number % 8 == 2) })),
            ("mentions", .list((0..<number % 2).map { mention($0) })),
            ("tags", .list((0..<number % 4).map { tag($0) })), ("emojis", .list([])), ("poll", .null),
            ("card", number % 3 == 1 ? card(number) : .null),
        ]
        // Answers for a person who is signed in, and statuses of the server's own people, have more members.
        if number % 5 != 4 {
            members += ["favourited", "reblogged", "muted", "bookmarked"].map { ($0, .plain("false")) }
            members.append(("filtered", .list([])))
        }
        if number % 7 < 3 {
            let web: [Body.Member] = [("name", .string("Web")), ("website", .null)]
            members.insert(("application", .object(web)), at: members.count / 2)
        }
        return .object(members)
    }

    private static func account(_ number: Int) -> Body {
        let pictures = "https://files.harbour.example/accounts"
        let link = #"<a href=\"https://a.example\" rel=\"me nofollow\"><span class=\"invisible\">https://</span></a>"#
        var members: [Body.Member] = [
            ("id", .string("10\(9_000_000 + number)")), ("username", .string("heron\(number)")),
            ("acct", .string("heron\(number)@harbour.example")), ("display_name", .string("Heron \(number) 🪶")),
            ("locked", .plain("false")), ("bot", .plain("false")), ("discoverable", .plain("true")),
            ("group", .plain("false")), ("created_at", .string("2022-11-04T00:00:00.000Z")),
            ("note", .string(html(number + 2))), ("url", .string("https://harbour.example/@heron\(number)")),
        ]
        for kind in ["avatar", "avatar_static", "header", "header_static"] {
            members.append((kind, .string("\(pictures)/\(kind)s/109/302/886/original/8a02f5b1c3e4d6\(number).jpg")))
        }
        members += [
            ("followers_count", .plain("\(number * 311)")), ("following_count", .plain("\(number * 7)")),
            ("statuses_count", .plain("\(number * 1_234)")), ("last_status_at", .string("2026-11-20")),
            ("emojis", .list([])),
            (
                "fields",
                .list(
                    (0..<number % 5).map {
                        .object([
                            ("name", .string("Web \($0)")), ("value", .string(link)), ("verified_at", .null),
                        ])
                    })
            ),
        ]
        if number % 4 == 0 { members += [("noindex", .plain("false")), ("roles", .list([]))] }
        return .object(members)
    }

    private static func html(_ number: Int) -> String {
        let texts = [
            "A heron has come back to the harbour, &amp; nobody knew. ",
            "The ferry leaves at ten, as it’s done since 1904. ",
            "港にサギが戻ってきました。誰も知りませんでした。",
        ]
        let link =
            #"<a href=\"https://harbour.example/tags/heron\" class=\"mention hashtag\" rel=\"tag\">#<span>heron</span></a>"#
        let text = String(repeating: texts[number % 3], count: 2 + number % 5)
        return "<p>\(text)</p><p>\(link) \(text)</p>" + (number % 4 == 0 ? "" : "<p>\(link)</p>")
    }

    private static func media(_ number: Int, isFilm: Bool) -> Body {
        let size: [Body.Member] = [
            ("width", .plain("1200")), ("height", .plain("800")), ("size", .string("1200x800")),
            ("aspect", .plain("1.5")),
        ]
        let film: [Body.Member] = [("length", .string("0:00:12.50")), ("duration", .plain("12.5"))]
        let files = "https://files.harbour.example/media_attachments/files/114/058/206"
        return .object([
            ("id", .string("114058206\(number)")), ("type", .string(isFilm ? "video" : "image")),
            ("url", .string("\(files)/original/9d5e2c71ab\(number).png")),
            ("preview_url", .string("\(files)/small/9d5e2c71ab\(number).png")), ("remote_url", .null),
            ("meta", .object([("original", .object(isFilm ? film + size : size)), ("small", .object(size))])),
            ("description", number % 2 == 0 ? .null : .string("A bridge in the fog, seen from the ferry")),
            ("blurhash", .string("UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH")),
        ])
    }

    private static func card(_ number: Int) -> Body {
        let empty = ["author_name", "author_url", "provider_url", "html", "embed_url"].map { ($0, Body.string("")) }
        return .object(
            [
                ("url", .string("https://news.example/herons/\(number)")), ("title", .string("The herons are back")),
                ("description", .string("They were last seen in the harbour thirty years ago, in a mild winter.")),
                ("type", .string("link")), ("provider_name", .string("News")), ("width", .plain("400")),
                ("height", .plain("300")), ("image", .string("https://files.harbour.example/cards/\(number).jpg")),
            ] + empty)
    }

    private static func mention(_ number: Int) -> Body {
        .object([
            ("id", .string("\(number)")), ("username", .string("bo")), ("url", .string("https://m.example/@bo")),
            ("acct", .string("bo")),
        ])
    }

    private static func tag(_ number: Int) -> Body {
        .object([
            ("name", .string("heron\(number)")), ("url", .string("https://harbour.example/tags/heron\(number)")),
        ])
    }
}
