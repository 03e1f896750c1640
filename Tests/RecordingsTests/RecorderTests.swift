import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// A counter.
private struct CounterViewModel: ViewModel {
    enum Action: Equatable, Sendable { case add }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: Int { 0 }

    static func reduce(_ state: inout Int, _ event: Event) { state += 1 }
}

private struct CounterRenderer: Renderer {
    func render(_ state: Int) -> Screen<CounterViewModel.Action> { Screen(title: "\(state)") }
}

@Suite("The recorder")
struct RecorderTests {
    private let recorder = Recorder(features: [], services: [:])

    private func request(_ path: String) throws -> TransportRequest {
        TransportRequest(url: try #require(URL(string: "https://api.example/\(path)")))
    }

    @Test("Requests that are under way at the end are recorded in the order sent")
    func unansweredOrder() async throws {
        let transport = recorder.transport(StubTransport.silent)
        var tasks: [Task<TransportResponse, any Error>] = []
        for number in 1...12 {
            let request = try request("\(number)")
            tasks.append(Task { try await transport.send(request) })
            await eventually("the request is under way") { recorder.run().unanswered?.count == number }
        }
        #expect(recorder.run().unanswered?.map(\.path) == (1...12).map { "/\($0)" })
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.value }
        #expect(recorder.run().unanswered == [])
    }

    @Test("Answers are recorded until they are too large together; of what comes later nothing is known")
    func size() async throws {
        let sizes = Locked([Recorder.maximumBodies - 1, 1, 0, 1, 0])
        let transport = recorder.transport(
            StubTransport { request throws(CoreError) in
                // Not a text, so that no secret is looked for.
                let body = Data(repeating: 0xFF, count: sizes.withLock { $0.removeFirst() })
                return try TransportResponse(status: 200, headers: [:], body: body, url: request.url)
            })
        for isFull in [false, false, false, true, true] {
            _ = try await transport.send(try request("film"))
            #expect(recorder.isFull == isFull)
        }
        let run = recorder.run()
        #expect(run.entries.count == 3 && run.unanswered == nil)
    }

    @Test("A file that is too large to be recorded is not read")
    func hugeFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = recorder.transport(
            StubTransport { request throws(CoreError) in
                // A file that is longer than any memory, and takes no room.
                try? Data().write(to: file)
                truncate(file.path(), 1 << 40)
                return try TransportResponse(status: 200, headers: [:], body: Data(), url: request.url)
            })
        var request = try request("film")
        request.destination = .file(file)
        _ = try await transport.send(request)
        #expect(recorder.isFull && recorder.run().entries.isEmpty)
    }

    @Test("A download whose file is gone already is recorded with the body of its answer")
    func fileThatIsGone() async throws {
        let transport = recorder.transport(
            StubTransport { request throws(CoreError) in
                try TransportResponse(status: 200, headers: [:], body: Data("film".utf8), url: request.url)
            })
        var request = try request("film")
        request.destination = .file(FileManager.default.temporaryDirectory.appending(path: "\(UUID())"))
        _ = try await transport.send(request)
        guard case .answer(let answer)? = recorder.run().entries.first else {
            Issue.record("There is no answer.")
            return
        }
        #expect(answer.text == "film")
    }

    @Test("A transport answers also after its recorder is gone")
    func goneRecorder() async throws {
        var recorder: Recorder? = Recorder(features: [], services: [:])
        weak let gone = recorder
        let transport = recorder?.transport(
            StubTransport { request throws(CoreError) in
                try TransportResponse(status: 204, headers: [:], body: Data(), url: request.url)
            })
        recorder = nil
        #expect(gone == nil)
        #expect(try await transport?.send(try request("film")).status == 204)
    }

    @Test("Nothing on the screens is recorded before the recorder follows them, nor after it has ended that")
    func following() {
        let screens = ScreenStack()
        let model = LiveViewModel(CounterViewModel())
        let following = recorder.follow(screens)
        screens.push(LiveScreen(model, CounterRenderer()) { _ in })
        model.send(.add)
        following.dispose()
        model.send(.add)
        let entries = recorder.run().entries
        #expect(entries.count == 2)
        guard case .event(let event)? = entries.last else {
            Issue.record("There is no event.")
            return
        }
        #expect(event.model == 1 && event.changed == [.init(path: "", text: "1")])
    }

    @Test("The time of a run has milliseconds, as its file does")
    func time() throws {
        let time = Date(timeIntervalSinceReferenceDate: 1_000.123_456)
        let recorder = Recorder(features: [], time: time, services: [:])
        #expect(recorder.now == Date(timeIntervalSinceReferenceDate: 1_000.123))
        let run = recorder.run()
        #expect(run.time == recorder.now)
        #expect(try Recording(Recording(runs: [run]).data()).runs == [run])
    }
}
