import Foundation
import Testing

@testable import LocalBackend

@Suite("A connection, without a socket")
struct ConnectionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("Pipelined requests are handled one at a time, in order")
    func pipelining() {
        var client = FakeClient()
        client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.handled.map(\.target) == ["/1"])
        client.answer(.text("one"))
        #expect(client.handled.map(\.target) == ["/1", "/2"])
        client.answer(.text("two"))
        #expect(client.bodies == ["one", "two"])
        #expect(client.connection.phase == .receiving)
    }

    @Test("A client that asks for it is told to continue, then answered")
    func continuing() {
        var client = FakeClient()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.received == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(client.handled.count == 1)
    }

    @Test("After a rejection everything is said, our side ends, and what still comes is ignored")
    func rejection() {
        var client = FakeClient()
        client.send("GET / HTTP/3.0\r\n")
        #expect(client.received.hasPrefix("HTTP/1.1 505 HTTP Version Not Supported\r\n"))
        #expect(client.received.contains("Connection: close\r\n"))
        #expect(client.connection.phase == .draining)
        client.send(ConnectionTests.get)
        #expect(client.handled.isEmpty)
        client.end()
        #expect(client.connection.phase == .over(reset: false))
    }

    @Test("A client that never closes its side is left after a while")
    func drainingEnds() {
        var client = FakeClient()
        client.send("nonsense\r\n")
        client.pass(.seconds(1))
        #expect(client.connection.phase == .draining)
        client.pass(.seconds(2))
        #expect(client.connection.phase == .over(reset: false))
    }

    @Test("A stream that ends with its client does not begin if the client has left")
    func clientLeftBefore() {
        for endsWithClient in [true, false] {
            var client = FakeClient()
            client.send(ConnectionTests.get)
            client.end()
            client.answer(.stream(endsWithClient: endsWithClient) { _ in })
            #expect(client.connection.phase == (endsWithClient ? .over(reset: false) : .streaming))
        }
    }

    @Test("A stream that ends with its client ends at once if its server stops while the handler is at work")
    func stopBeforeStream() {
        for endsWithClient in [true, false] {
            var client = FakeClient()
            client.send(ConnectionTests.get)
            client.stop()
            client.answer(.stream(endsWithClient: endsWithClient) { _ in })
            #expect(client.connection.phase == (endsWithClient ? .draining : .streaming))
            #expect(client.received.hasSuffix("0\r\n\r\n") == endsWithClient)
        }
    }

    @Test("A stream that ends with its client ends if 64 KiB of further requests hide the client's end")
    func floodedStream() {
        for (before, during) in [(65_536, 0), (65_535, 1), (0, 65_536)] {
            for endsWithClient in [true, false] {
                var client = FakeClient()
                client.send(ConnectionTests.get + String(repeating: "x", count: before))
                client.answer(.stream(endsWithClient: endsWithClient) { _ in })
                client.send(String(repeating: "x", count: during))
                #expect(client.connection.phase == (endsWithClient ? .over(reset: false) : .streaming))
            }
        }
    }

    @Test("While a handler is at work, 64 KiB of further requests are read ahead")
    func readAhead() {
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.send(String(repeating: "x", count: 65_535))
        #expect(client.connection.wantsToRead)
        client.send("x")
        #expect(!client.connection.wantsToRead)
    }

    @Test("Of a stream, 256 KiB that the client has not read are as much as is produced ahead")
    func highWater() {
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.answer(.stream(length: 300_000) { _ in })
        client.reads = false
        client.produce(Data(count: 262_143))
        #expect(!client.connection.isCongested)
        client.produce(Data(count: 1))
        #expect(client.connection.isCongested)
        client.reads = true
        client.produce(Data())
        #expect(!client.connection.isCongested)
    }

    @Test("An answer says when it was made, and by which server")
    func date() {
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.answer(.text("hello"))
        #expect(client.received.contains("Server: LocalBackend\r\n"))
        #expect(client.received.contains("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"))
    }

    @Test("A handler's own date and name of the server take the place of the server's")
    func ownFields() {
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.answer(.text("hello", headers: ["Server": "mine", "Date": "today", "X": "y"]))
        #expect(client.received.contains("Server: mine\r\n") && client.received.contains("Date: today\r\n"))
        #expect(!client.received.contains("LocalBackend") && !client.received.contains("1970"))
    }

    @Test("A connection that is quiet is closed without a word")
    func idle() {
        var client = FakeClient()
        client.pass(.seconds(59))
        #expect(client.connection.phase == .receiving)
        client.send(ConnectionTests.get)
        client.pass(.seconds(600))
        client.answer(.text("late"))
        #expect(client.bodies == ["late"])
        client.pass(.seconds(61))
        #expect(client.connection.phase == .over(reset: false))
        #expect(client.bodies == ["late"])
    }

    @Test("Each answer begins the time anew after which a quiet connection is closed")
    func idleAgain() {
        var client = FakeClient()
        for _ in 0..<3 {
            client.pass(.seconds(59))
            client.send(ConnectionTests.get)
            client.answer(.text("here"))
        }
        client.pass(.seconds(59))
        #expect(client.connection.phase == .receiving && client.bodies.count == 3)
        client.pass(.seconds(1))
        #expect(client.connection.phase == .over(reset: false))
    }

    @Test("A request that trickles in is timed out, however busily it trickles")
    func slowRequest() {
        var client = FakeClient()
        for byte in "GET / HTTP/1.1\r\nHost: a\r\nX: aaaaaaaaaaa" where client.connection.phase == .receiving {
            client.send(String(byte))
            client.pass(.seconds(1))
        }
        #expect(client.received.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(client.connection.phase == .draining)
    }

    @Test("A request that trickles in while an answer is not read is timed out, and so is the answer")
    func slowInBothDirections() {
        var client = FakeClient(reads: false)
        client.send(ConnectionTests.get)
        client.answer(.text("unread"))
        client.send("GET /")
        client.pass(.seconds(19))
        #expect(client.connection.phase == .receiving)
        client.pass(.seconds(1))
        #expect(client.connection.phase == .flushing(then: .drain))

        client = FakeClient(reads: false)
        client.send(ConnectionTests.get)
        client.answer(.text("unread"))
        client.pass(.seconds(50))
        client.send("GET /")
        client.pass(.seconds(9))
        #expect(client.connection.phase == .receiving)
        client.pass(.seconds(1))
        #expect(client.connection.phase == .over(reset: true))
    }

    @Test("A client that has closed its side gets the answers to all that it sent before")
    func halfClosed() {
        var client = FakeClient()
        client.send(ConnectionTests.get + ConnectionTests.get + "GET /unfinished")
        client.end()
        client.answer(.text("one"))
        client.answer(.text("two"))
        #expect(client.bodies == ["one", "two"])
        #expect(client.connection.phase == .over(reset: false))
    }

    @Test("A client that does not read is not read from without end, and is left in the end")
    func congestion() {
        var client = FakeClient(reads: false)
        client.send(ConnectionTests.get)
        client.answer(.data(Data(count: 1_000_000), contentType: "a/b"))
        client.send(ConnectionTests.get)
        #expect(client.handled.count == 1)
        #expect(client.connection.isCongested)
        client.send(String(repeating: "x", count: 100_000))
        #expect(!client.connection.wantsToRead)
        client.pass(.seconds(61))
        #expect(client.connection.phase == .over(reset: true))
    }

    @Test("Stopping lets go of a quiet connection, and lets a busy one finish")
    func stopping() {
        var quiet = FakeClient()
        quiet.stop()
        #expect(quiet.connection.phase == .over(reset: false))

        var busy = FakeClient()
        busy.send(ConnectionTests.get)
        busy.stop()
        #expect(busy.connection.phase == .handling)
        busy.answer(.text("done"))
        #expect(busy.received.contains("Connection: close\r\n"))
        #expect(busy.bodies == ["done"])
        #expect(busy.connection.phase == .draining)
    }

    @Test("HTTP/1.0 gets no chunks: the body ends with the connection")
    func streamToOldVersion() {
        var client = FakeClient()
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        client.stream(["a", "b"])
        #expect(client.received.hasSuffix("Connection: close\r\n\r\nab"))
        #expect(!client.received.contains("Transfer-Encoding"))
        #expect(client.connection.phase == .draining)
    }

    @Test("A stream to HTTP/1.0 that fails is reset, as its client would take a part of it for all")
    func failingStreamToOldVersion() {
        for (isWhole, fault) in [(false, nil), (true, .truncate(after: 1))] as [(Bool, Fault?)] {
            var client = FakeClient()
            client.send("GET / HTTP/1.0\r\n\r\n")
            client.stream(["ab"], isWhole: isWhole, fault: fault)
            #expect(client.received.hasSuffix(isWhole ? "\r\n\r\na" : "\r\n\r\nab"))
            #expect(client.connection.phase == .over(reset: true))
        }
    }

    @Test("Only a part of a body without a length or chunks could be taken for all of it")
    func earlyEnd() {
        for (version, isEarly) in [("1.0", true), ("1.1", false)] {
            var client = FakeClient()
            client.send("GET / HTTP/\(version)\r\nHost: a\r\n\r\n")
            #expect(!client.connection.wouldEndBodyEarly)
            client.answer(.stream { _ in })
            client.produce(Data("ab".utf8))
            #expect(client.connection.wouldEndBodyEarly == isEarly)
            client.reads = false
            client.produce(Data("cd".utf8))
            client.endStream()
            #expect(client.connection.wouldEndBodyEarly == isEarly)
            client.reads = true
            client.send("")
            #expect(!client.connection.wouldEndBodyEarly)
        }
    }

    @Test("A stream of a stated length sends no more than that, and is visibly broken where it sends less")
    func streamWithLength() {
        for (portions, body, phase) in [
            (["abc", "def"], "abcd", Connection.Phase.receiving), (["abc"], "abc", .draining),
        ] {
            var client = FakeClient()
            client.send(ConnectionTests.get)
            client.stream(portions, length: 4)
            #expect(client.received.contains("Content-Length: 4\r\n"))
            #expect(client.received.hasSuffix("\r\n\r\n\(body)"))
            #expect(client.connection.phase == phase)
        }
    }

    @Test("A stream that fails leaves its last chunk out")
    func failingStream() {
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.stream(["abc"], isWhole: false)
        #expect(client.received.hasSuffix("3\r\nabc\r\n"))
        #expect(client.connection.phase == .draining)
    }

    @Test(
        "Each fault ends an answer in its way, after the bytes that it allows",
        arguments: [
            (Fault.drop, Connection.Phase.over(reset: false)), (.reset(after: 2), .over(reset: true)),
            (.truncate(after: 2), .draining), (.stall(after: 2), .stalling),
        ])
    func faults(fault: Fault, phase: Connection.Phase) {
        let expected = fault == .drop ? "" : "he"
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.answer(.text("hello"), fault: fault)
        #expect(client.connection.phase == phase)
        #expect(client.bodies.joined() == expected)

        var streaming = FakeClient()
        streaming.send(ConnectionTests.get)
        streaming.stream(["h", "ello"], fault: fault)
        #expect(streaming.connection.phase == phase)
        #expect(streaming.received.hasSuffix(fault == .drop ? "" : "\r\n\r\n1\r\nh\r\n4\r\ne"))
    }

    @Test("An answer stalls until the client closes its side or the server stops, which may have been before")
    func endOfStall() {
        for end in [{ $0.end() }, { $0.stop() }] as [(inout FakeClient) -> Void] {
            for isBefore in [true, false] {
                var client = FakeClient()
                client.send(ConnectionTests.get)
                if isBefore { end(&client) }
                client.answer(.text("hello"), fault: .stall(after: 2))
                if !isBefore {
                    #expect(client.connection.phase == .stalling)
                    end(&client)
                }
                #expect(client.connection.phase == .over(reset: false))
                #expect(client.bodies == ["he"])
            }
        }
    }

    @Test("A fault that comes after the end of a body promises more than there is", arguments: ["", "hello"])
    func lateFault(body: String) {
        var client = FakeClient()
        client.send(ConnectionTests.get)
        client.answer(.text(body), fault: .truncate(after: 100))
        #expect(client.received.contains("Content-Length: 101\r\n"))
        #expect(client.bodies == [body])
        #expect(client.connection.phase == .draining)
    }
}

/// Speaks to a connection as the event loop would for a client.
private struct FakeClient {
    private(set) var connection = Connection(limits: .init(), timeouts: .init())
    private(set) var received = ""
    private(set) var handled: [LocalBackend.Request] = []
    private var now = Moment(instant: .now, second: 0)
    var reads: Bool

    init(reads: Bool = true) {
        self.reads = reads
        settle()
    }

    /// The bodies of the answers received; for texts without an empty line in them.
    var bodies: [String] {
        received.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.components(separatedBy: "\r\n\r\n")[1] }
    }

    mutating func send(_ text: String) {
        connection.receive(Array(text.utf8))
        settle()
    }

    mutating func end() {
        connection.receiveEnd()
        settle()
    }

    mutating func stop() {
        connection.stop(now: now)
        settle()
    }

    mutating func pass(_ time: Duration) {
        now.instant += time
        if let deadline = connection.nextDeadline, deadline <= now.instant { connection.expire(now: now) }
        settle()
    }

    mutating func answer(_ response: LocalBackend.Response, fault: Fault? = nil) {
        connection.answer(Answer(response, to: handled.last, fault: fault), now: now)
        settle()
    }

    mutating func stream(_ portions: [String], length: Int? = nil, isWhole: Bool = true, fault: Fault? = nil) {
        answer(.stream(length: length) { _ in }, fault: fault)
        for portion in portions { produce(Data(portion.utf8)) }
        endStream(isWhole: isWhole)
    }

    mutating func endStream(isWhole: Bool = true) {
        connection.endStream(isWhole: isWhole, now: now)
        settle()
    }

    mutating func produce(_ data: Data) {
        connection.stream(data, now: now)
        settle()
    }

    private mutating func settle() {
        if let request = connection.nextRequest(now: now) { handled.append(request) }
        var taken: [UInt8] = []
        let reads = reads
        connection.write(now: now) { bytes in
            guard reads else { return 0 }
            taken += bytes
            return bytes.count
        }
        received += String(decoding: taken, as: UTF8.self)
    }
}
