import Feedback
import Foundation

/// A way to the tests' server that is cut when a client commits.
final class CuttingProxy: Sendable {
    enum Cut: Sendable {
        case never
        /// The server does not get the commit.
        case before
        /// The server gets it and answers, and the client gets no answer.
        case after
        /// The same, and no client can connect after that.
        case forGood
    }

    private struct State: Sendable {
        var cut = Cut.never
        var isOpen = true
        var meanwhile: @Sendable () -> Void = {}
        var roundTrips = 0
        var holdsClients = false
        var isFrozen = false
        var held: [Int32] = []
    }

    /// The folder of its socket.
    let folder: String
    private let target: String
    private let listener: Int32
    private let state = Locked(State())
    private let thaw = NSCondition()

    init(to folder: String) throws {
        self.folder = "/tmp/feedback-\(UUID().uuidString.prefix(8))"
        target = "\(folder)/.s.PGSQL.5432"
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: false)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress("\(self.folder)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0,
            listen(listener, 16) == 0
        else { throw TestServer.CannotStart(description: "the proxy cannot listen: \(errno)") }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    /// Stops the proxy and cuts its connections.
    func close() {
        freeze(false)
        let held = state.withLock { state in
            state.isOpen = false
            defer { state.held = [] }
            return state.held
        }
        for client in held { Foundation.close(client) }
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Cuts the next commit.
    ///
    /// - Parameter meanwhile: Called between the commit and the cut.
    func cutNext(_ cut: Cut, meanwhile: @escaping @Sendable () -> Void = {}) {
        state.withLock {
            $0.cut = cut
            $0.meanwhile = meanwhile
        }
    }

    static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    /// The number of clients that wait for the server.
    var held: Int { state.withLock(\.held.count) }

    /// Leaves new clients without an answer, or lets them and later ones through.
    func hold(_ holds: Bool) {
        let held = state.withLock { state in
            state.holdsClients = holds
            defer { if !holds { state.held = [] } }
            return holds ? [] : state.held
        }
        for client in held { serve(client) }
    }

    /// Forwards nothing and answers no new client, as if the server did not run any more, or goes on.
    func freeze(_ freezes: Bool) {
        thaw.withLock {
            state.withLock { $0.isFrozen = freezes }
            thaw.broadcast()
        }
        hold(freezes)
    }

    private func waitWhileFrozen() {
        thaw.withLock { while state.withLock(\.isFrozen) { thaw.wait() } }
    }

    private func serve(_ client: Int32) {
        let isHeld = state.withLock { state in
            if state.holdsClients { state.held.append(client) }
            return state.holdsClients
        }
        if isHeld { return }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isOpen = state.withLock { $0.isOpen }
        guard isOpen, Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
            Foundation.close(client)
            Foundation.close(server)
            return
        }
        let isCut = Locked(false)
        let ended = Locked(0)
        @Sendable func cut() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
        @Sendable func end() {
            cut()
            let both = ended.withLock { ended in
                ended += 1
                return ended == 2
            }
            if both {
                Foundation.close(client)
                Foundation.close(server)
            }
        }
        Thread.detachNewThread { [self] in
            var messages = CommitFinder()
            while let bytes = Self.read(client) {
                let cut = messages.findsCommit(in: bytes) ? takeCut() : .never
                state.withLock { $0.roundTrips += messages.takeSyncs() }
                if cut == .before {
                    state.withLock { $0.meanwhile }()
                    break
                }
                if cut == .forGood { state.withLock { $0.isOpen = false } }
                if cut != .never { isCut.withLock { $0 = true } }
                waitWhileFrozen()
                guard Self.write(bytes, to: server) else { break }
            }
            end()
        }
        Thread.detachNewThread { [self] in
            while let bytes = Self.read(server) {
                // The answer to the commit says that it is done.
                if isCut.withLock({ $0 }) {
                    state.withLock { $0.meanwhile }()
                    break
                }
                waitWhileFrozen()
                guard Self.write(bytes, to: client) else { break }
            }
            end()
        }
    }

    /// The number of times that clients have sent statements and asked for the answers.
    var roundTrips: Int { state.withLock { $0.roundTrips } }

    private func takeCut() -> Cut {
        state.withLock { state in
            defer { state.cut = .never }
            return state.cut
        }
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Reads the messages of a client, and finds those that run a statement whose text is COMMIT.
private struct CommitFinder {
    private var bytes: [UInt8] = []
    private var hasStarted = false
    /// The names of the prepared statements.
    private var names: Set<String> = []
    private var syncs = 0

    /// The number of Sync messages since the last call.
    mutating func takeSyncs() -> Int {
        defer { syncs = 0 }
        return syncs
    }

    mutating func findsCommit(in more: [UInt8]) -> Bool {
        bytes += more
        var isFound = false
        while true {
            let head = hasStarted ? 1 : 0
            guard bytes.count >= head + 4 else { return isFound }
            let length = bytes[head..<head + 4].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count >= head + length else { return isFound }
            if hasStarted {
                if bytes[0] == UInt8(ascii: "S") { syncs += 1 }
                let texts = bytes[5..<head + length].split(separator: 0, omittingEmptySubsequences: false)
                    .prefix(2).map { String(decoding: $0, as: UTF8.self) }
                // Parse has the name and the text of a statement, Bind the names of a portal and of a statement.
                if bytes[0] == UInt8(ascii: "P"), texts.count == 2, texts[1] == "COMMIT" { names.insert(texts[0]) }
                if bytes[0] == UInt8(ascii: "B"), texts.count == 2, names.contains(texts[1]) { isFound = true }
            }
            // A request for encryption is refused, and followed by the startup message.
            hasStarted = hasStarted || length != 8
            bytes.removeFirst(head + length)
        }
    }
}
