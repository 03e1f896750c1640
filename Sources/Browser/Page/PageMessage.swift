import Foundation
import JSON

/// A message to the browser: the whole page, or the changes in it.
enum PageMessage: Equatable, Sendable {
    case page(Whole)
    case change([Page.Change], handled: Int)

    /// - `stream`: the stream that the browser names when it sends an action.
    /// - `server`: differs once the server was restarted, and with it every screen.
    /// - `screen`: differs if another screen is on top.
    /// - `model`: the screen's model. It is the same in all streams of one server.
    /// - `depth`: the number of screens on the stack.
    /// - `handled`: the number of the last action that is contained in it.
    struct Whole: Equatable, Sendable {
        let stream: String
        let server: String
        let screen: Int
        let model: Int
        let depth: Int
        let handled: Int
        let title: String
        let html: String
    }

    var name: String {
        switch self {
        case .page: "page"
        case .change: "change"
        }
    }

    /// The message as one line of JSON.
    func json(of page: Page) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case let .page(whole):
            writer.member("stream", whole.stream)
            writer.member("server", whole.server)
            writer.member("screen", whole.screen)
            writer.member("model", whole.model)
            writer.member("depth", whole.depth)
            writer.member("handled", whole.handled)
            writer.member("title", whole.title)
            writer.member("html", whole.html)
        case let .change(changes, handled):
            writer.member("handled", handled)
            writer.key("changes")
            writer.beginArray()
            for change in changes { writer.write(change, of: page) }
            writer.endArray()
        }
        writer.endObject()
        return String(decoding: writer.finish(), as: UTF8.self)
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int) {
        key(name)
        integer(value)
    }

    fileprivate mutating func write(_ change: Page.Change, of page: Page) {
        beginObject()
        switch change {
        case let .title(title):
            member("title", title)
        case let .row(row):
            member("row", row.id)
            member("html", row.html.string)
        case let .rows(section, from, removed, inserted):
            member("section", "s\(section)")
            member("from", from)
            member("removed", removed)
            key("inserted")
            beginArray()
            for insertion in inserted {
                beginObject()
                switch insertion {
                case let .new(row): member("html", row.html.string)
                case let .moved(id): member("moved", id)
                }
                endObject()
            }
            endArray()
        case let .actions(actions):
            member("actions", Page.html(of: actions).string)
        case .everything:
            member("everything", page.html.string)
        }
        endObject()
    }
}
