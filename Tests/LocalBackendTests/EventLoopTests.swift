import Foundation
import Testing

@testable import LocalBackend

@Suite("The event loop")
struct EventLoopTests {
    @Test("An answer goes out while the loop's thread waits, which is woken only if something is due earlier")
    func answerWithoutWaking() async throws {
        try await onThread {
            let loop = try TestedLoop()
            let client = try RawClient(loop.address)
            for number in 1...4 {
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                loop.serve(handlers: 1)
                loop.beginWait()
                // At first the thread waits without a limit, and the connection has a deadline from the first answer on.
                #expect(loop.openMail() == (number == 1))
                #expect(try client.response().text == "hello")
            }
            loop.stop()
        }
    }

    @Test("A connection that was closed while the loop's thread waits is not polled again, nor another served for it")
    func closedMeanwhile() async throws {
        try await onThread {
            let loop = try TestedLoop()
            let (client, other) = (try RawClient(loop.address), try RawClient(loop.address))
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while loop.connectionCount < 2 { loop.serve() }
            loop.waitForHandler()
            client.endSending()
            loop.serve()
            loop.beginWait()
            #expect(loop.connectionCount == 2)
            #expect(loop.openMail())
            #expect(client.readToEnd().text.hasSuffix("hello"))
            // What was polled before is of no use now.
            other.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            loop.serveAsIfAllWereReady()
            loop.beginWait()
            #expect(loop.connectionCount == 1)
            loop.serve(handlers: 1)
            _ = loop.openMail()
            #expect(try other.response().text == "hello")
            loop.stop()
        }
    }
}

/// A loop that the test's thread uses, in place of the loop's own thread and of those of handlers.
private final class TestedLoop {
    let address: URL
    private var loop: EventLoop
    private var polled: [pollfd] = []
    private let mailbox: Mailbox
    private let answers = DispatchSemaphore(value: 0)

    init() throws {
        let (mailbox, serverState) = (try Mailbox(), ServerState(recording: 10))
        let listener = try Listener(host: "127.0.0.1", port: 0)
        address = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
        serverState.add(Router.Route(method: .get, pattern: PathPattern("/")) { _ in .text("hello") })
        self.mailbox = mailbox
        loop = EventLoop(
            listener: listener, mailbox: mailbox, serverState: serverState, configuration: LocalBackend.Configuration())
        loop.post = { [answers] mail in
            defer { answers.signal() }
            return mailbox.put(mail) != .refused
        }
    }

    /// The number of connections that are polled.
    var connectionCount: Int { polled.count - 2 }

    func beginWait() { _ = loop.timeout(updating: &polled) }

    func openMail() -> Bool { loop.openMail() }

    func waitForHandler() { answers.wait() }

    /// Waits for the clients, serves them, and waits for the handlers' answers.
    func serve(handlers: Int = 0) {
        beginWait()
        _ = poll(&polled, nfds_t(polled.count), -1)
        loop.serve(polled)
        for _ in 0..<handlers { waitForHandler() }
        beginWait()
    }

    func serveAsIfAllWereReady() {
        for index in polled.indices { polled[index].revents = Int16(POLLIN) }
        loop.serve(polled)
    }

    func stop() {
        mailbox.post(.stop(by: .now, nil))
        serve()
        #expect(loop.timeout(updating: &polled) == nil)
        #expect(loop.end().isEmpty)
    }
}
