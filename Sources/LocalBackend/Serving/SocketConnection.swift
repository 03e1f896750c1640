import Foundation

/// A connection with its socket, its handler and its producer.
struct SocketConnection {
    let id: Int
    let socket: Socket
    var connection: Connection
    /// The handler of the request that is being answered.
    var handling: Task<Void, Never>?
    /// The tasks that produce a streamed body and wait until more can be taken: a producer may write from several.
    var producers: [CheckedContinuation<Void, any Error>] = []
    /// The number of requests that were passed to handlers.
    private var requestCount = 0

    init(id: Int, socket: Socket, connection: Connection) {
        self.id = id
        self.socket = socket
        self.connection = connection
    }

    /// The latest exchange.
    var exchange: Mailbox.ExchangeID { .init(connection: id, request: requestCount) }

    /// Begins an exchange with the next request.
    mutating func beginExchange() -> Mailbox.ExchangeID {
        requestCount += 1
        return exchange
    }

    var awaitedEvents: Int16 {
        Int16((connection.wantsToRead ? POLLIN : 0) | (connection.wantsToWrite ? POLLOUT : 0))
    }

    mutating func read(into buffer: inout [UInt8]) {
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(0):
            connection.receiveEnd()
            // The client has probably disconnected. If it has only closed its own side, it still gets the handler's
            // answer.
            if connection.phase == .handling { handling?.cancel() }
        case .bytes(let count): connection.receive(buffer[..<count])
        case .later: break
        case .broken: connection.abort()
        }
    }

    mutating func write(now: Moment) {
        connection.write(now: now) { [socket] bytes in
            switch socket.write(bytes) {
            case .bytes(let count): count
            case .later: 0
            case .broken: nil
            }
        }
    }

    mutating func endWritingIfDone() {
        // To do it again changes nothing.
        if connection.phase == .draining { socket.endWriting() }
    }

    mutating func resumeProducersIfWelcome() {
        guard !connection.isCongested else { return }
        producers.forEach { $0.resume() }
        producers.removeAll(keepingCapacity: true)
    }

    mutating func close(reset: Bool) {
        handling?.cancel()
        producers.forEach { $0.resume(throwing: CancellationError()) }
        socket.close(reset: reset)
    }
}
