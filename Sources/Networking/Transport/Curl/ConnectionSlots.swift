import Feedback

/// Decides which requests may begin: up to a limit at a time for each server, the others in the order in which they
/// came. It is a value without locks or sockets.
struct ConnectionSlots<Server: Hashable, Item: Hashable> {
    private struct Slots {
        var limit: Int
        var active = 0
        var waiting = Queue<Item>()
    }

    private let limit: Int
    private let multiplexedLimit: Int
    private var servers: [Server: Slots] = [:]

    init(limit: Int, multiplexedLimit: Int) {
        self.limit = max(1, limit)
        self.multiplexedLimit = max(1, limit, multiplexedLimit)
    }

    /// Returns true if the request may begin now. Otherwise it waits until ``end(at:multiplexes:)`` returns it.
    mutating func begin(_ item: Item, at origin: Server) -> Bool {
        var server = servers[origin] ?? Slots(limit: limit)
        defer { servers[origin] = server }
        guard server.active < server.limit else {
            server.waiting.append(item)
            return false
        }
        server.active += 1
        return true
    }

    /// Records that a request has ended, and returns the requests that begin in its place.
    ///
    /// - Parameter multiplexes: True if the server answered over a connection that several requests share; `nil` if it
    ///   did not answer.
    mutating func end(at origin: Server, multiplexes: Bool?) -> [Item] {
        servers[origin]?.active -= 1
        return note(at: origin, multiplexes: multiplexes)
    }

    /// Records that a server has answered a request, which goes on, and returns the requests that may begin beside it.
    mutating func note(at origin: Server, multiplexes: Bool?) -> [Item] {
        guard var server = servers[origin] else { return [] }
        if let multiplexes { server.limit = multiplexes ? multiplexedLimit : limit }
        var next: [Item] = []
        while server.active < server.limit, let item = server.waiting.popFirst() {
            server.active += 1
            next.append(item)
        }
        servers[origin] = server.active == 0 ? nil : server
        return next
    }

    /// Removes a waiting request; returns false if it is not waiting.
    mutating func remove(_ item: Item, at origin: Server) -> Bool {
        servers[origin]?.waiting.removeFirst { $0 == item } != nil
    }
}
