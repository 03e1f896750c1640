import Feedback
import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// A transport whose answers tell an outbox that the network is back.
struct OutboxTransportTests {
    private static let page = Data("<!DOCTYPE html><html>Log in</html>".utf8)

    @Test(
        "The answer to any request shows that the network is back, unless it is a web page, an error of the server, or asks to come again",
        arguments: [
            (200, Data(), true), (404, Data(), true), (503, Data(), false), (200, page, false), (401, Data(), false),
            (429, Data(), false),
        ])
    func answer(status: Int, body: Data, isNews: Bool) async throws {
        let scheduler = TestScheduler()
        let isOffline = Locked(true)
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            if isOffline.withLock({ $0 }) { throw .network(NetworkFailure(.offline)) }
        }
        for number in 1...20 { try await requests.send(number, about: "\(number)") }
        await outbox.settle(scheduler)
        #expect(outbox.status.value.offlineSince != nil)
        isOffline.withLock { $0 = false }
        let transport = Answering(status: status, body: body).noticed(by: outbox)
        _ = try await transport.send(TransportRequest(url: #require(URL(string: "http://127.0.0.1/other"))))
        await outbox.settle(scheduler)
        #expect(outbox.status.value.isInStep == isNews)
        #expect((outbox.status.value.offlineSince == nil) == isNews)
    }

    @Test("A transport does not keep its outbox alive")
    func gone() async throws {
        weak var gone: Outbox?
        let transport: any Transport
        do {
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            gone = outbox
            transport = Answering(status: 200, body: Data()).noticed(by: outbox)
        }
        #expect(gone == nil)
        _ = try await transport.send(TransportRequest(url: #require(URL(string: "http://127.0.0.1/other"))))
    }
}

private struct Answering: Transport {
    let status: Int
    let body: Data

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        try TransportResponse(status: status, body: body, url: request.url)
    }
}

extension Outbox {
    /// Lets the steps run that are due now, and the requests that they begin.
    func settle(_ scheduler: TestScheduler) async {
        scheduler.advance(by: .zero)
        repeat {
            await eventually { state.withLock(\.underWay.isEmpty) }
            // Answers may wait for others for a moment.
            if state.withLock(\.isStepDelayed) { scheduler.advance(by: .milliseconds(30)) }
            scheduler.advance(by: .zero)
        } while state.withLock { $0.isScheduled || !$0.underWay.isEmpty || !$0.results.isEmpty }
    }
}
