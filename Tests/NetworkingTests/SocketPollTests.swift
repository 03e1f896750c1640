#if canImport(CCurl)
import Foundation
import Testing

@testable import Networking

@Suite("Waiting for sockets")
struct SocketPollTests {
    /// A poll, and two sockets that are connected to each other.
    private func withSockets(_ body: (SocketPoll, Int32, Int32) throws -> Void) throws {
        let poll = try #require(SocketPoll())
        var sockets: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer {
            poll.close()
            for socket in sockets where socket >= 0 { close(socket) }
        }
        try body(poll, sockets[0], sockets[1])
    }

    private func interest(_ socket: Int32, read: Bool = false, write: Bool = false) -> SocketPoll.Interest {
        SocketPoll.Interest(socket: socket, isRead: read, isWritten: write)
    }

    /// What is ready now, as text.
    private func ready(_ poll: SocketPoll) -> [String] {
        poll.wait(milliseconds: 0).map { event in
            let marks = [(event.isReadable, "r"), (event.isWritable, "w"), (event.isClosed, "c")]
            return "\(event.socket)" + marks.filter(\.0).map(\.1).joined()
        }
    }

    @Test("A socket is ready for what is waited for, and for nothing when it is forgotten")
    func readiness() throws {
        try withSockets { poll, own, other in
            #expect(ready(poll).isEmpty)
            poll.watch(interest(own, read: true))
            #expect(ready(poll).isEmpty)
            #expect(write(other, "x", 1) == 1)
            #expect(ready(poll) == ["\(own)r"])
            poll.watch(interest(own, write: true))
            #expect(ready(poll) == ["\(own)w"])
            poll.watch(interest(own, read: true, write: true))
            #expect(ready(poll) == ["\(own)rw"])
            poll.watch(interest(own))
            #expect(ready(poll).isEmpty)
        }
    }

    @Test("A socket that is watched for its closing is not ready for what there is to read")
    func closing() throws {
        try withSockets { poll, own, other in
            poll.watchForClosing(own)
            #expect(write(other, "x", 1) == 1)
            #expect(ready(poll).isEmpty)
            #expect(shutdown(other, Int32(SHUT_WR)) == 0)
            #expect(ready(poll) == ["\(own)c"])
            #expect(!SocketPoll.isAtEnd(own))
            var byte: UInt8 = 0
            #expect(read(own, &byte, 1) == 1)
            #expect(SocketPoll.isAtEnd(own))
            #expect(!SocketPoll.isAtEnd(other))
        }
    }

    @Test("A connection that has broken off is ready for anything, so that its failure is found")
    func failure() throws {
        try withSockets { poll, own, other in
            poll.watchForClosing(own)
            #expect(shutdown(own, Int32(SHUT_RDWR)) == 0)
            #expect(ready(poll) == ["\(own)rwc"])
            poll.watch(interest(own))
            #expect(ready(poll).isEmpty)
            withExtendedLifetime(other) {}
        }
    }

    @Test("A call to wake ends one wait, the next one if there is none now")
    func wake() throws {
        try withSockets { poll, own, _ in
            poll.watch(interest(own, write: true))
            poll.wake()
            poll.wake()
            #expect(ready(poll) == ["\(own)w"])
            poll.watch(interest(own))
            poll.wake()
            let time = ContinuousClock().measure { #expect(poll.wait(milliseconds: 60_000).isEmpty) }
            #expect(time < .seconds(60))
        }
    }

    @Test("A look at a socket ends when it is ready for what is waited for, or with the time")
    func look() throws {
        try withSockets { _, own, other in
            let past = ContinuousClock.now
            #expect(SocketPoll.look(for: interest(own, read: true), until: past) == nil)
            let written = SocketPoll.look(for: interest(own, read: true, write: true), until: past + .seconds(600))
            #expect(written?.socket == own && written?.isReadable == true && written?.isWritable == true)
            #expect(write(other, "x", 1) == 1)
            let read = SocketPoll.look(for: interest(own, read: true), until: past + .seconds(600))
            #expect(read?.isReadable == true && read?.isWritable == false && read?.isClosed == false)
        }
    }

    @Test("A process without a standard input can wait for sockets")
    func noStandardInput() async {
        await #expect(processExitsWith: .success) {
            close(0)
            let poll = try #require(SocketPoll())
            poll.wake()
            #expect(poll.wait(milliseconds: 60_000).isEmpty)
            poll.close()
        }
    }
}
#endif
