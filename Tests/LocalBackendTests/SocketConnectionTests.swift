import Foundation
import Testing

@testable import LocalBackend

@Suite("A connection with its socket")
struct SocketConnectionTests {
    @Test("After the last answer the client reads the end, and its further bytes are still taken")
    func lastAnswer() throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, streamSocket, 0, &ends) == 0)
        let (socket, client) = (Socket(adopting: ends[0]), Socket(adopting: ends[1]))
        defer { client.close() }
        let now = Moment(instant: .now, second: 0)
        var server = SocketConnection(
            id: 1, socket: socket, connection: Connection(limits: .init(), timeouts: .init()))
        var buffer = [UInt8](repeating: 0, count: 1_000)
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

        #expect(request.withUnsafeBytes { client.write($0) } == .bytes(request.count))
        server.read(into: &buffer)
        #expect(server.connection.nextRequest(now: now) != nil)
        server.connection.answer(Answer(.text("x", headers: ["Connection": "close"]), to: nil), now: now)
        server.endWritingIfDone()
        server.write(now: now)
        server.endWritingIfDone()

        #expect(buffer.withUnsafeMutableBytes { client.read(into: $0) } != .bytes(0))
        #expect(buffer.withUnsafeMutableBytes { client.read(into: $0) } == .bytes(0))
        #expect(request.withUnsafeBytes { client.write($0) } == .bytes(request.count))
        server.read(into: &buffer)
        #expect(server.connection.phase == .draining)
        client.endWriting()
        server.read(into: &buffer)
        #expect(server.connection.phase == .over(reset: false))
        server.close(reset: false)
    }
}
