import Canned
import CannedResponses
import ChildProcesses
import Cities
import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// Uses the cities, and returns the recording.
private func recordedCities(
    _ act: (ScriptedPerson) async throws -> Void = { person in
        try await person.uses("London")
        try await person.types("Sherlock Holmes", into: "Recipient")
        try await person.uses("Back")
    }
) async throws -> Recording {
    let canned = try CannedBackend(CannedResponses.folder("Cities"))
    let environment = BackendEnvironment.production
    let recorder = Recorder(
        features: ["cities"], time: Date(timeIntervalSinceReferenceDate: 1), services: environment.services)
    let session = BackendSession(
        environment: environment, credentials: FixedCredentials(.bearer("very secret")),
        transport: recorder.transport(canned))
    let screens = ScreenStack()
    recorder.follow(screens)
    let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)
    flow.start()
    try await act(ScriptedPerson(screens, configure: { $0.isDeliberate = true }))
    return Recording(runs: [recorder.run()])
}

/// Repeats the run of a recording.
private func replay(_ recording: Recording, patience: Duration = .seconds(60)) async throws {
    let replay = Replay(recording.runs[0], patience: patience)
    let screens = ScreenStack()
    let flow = CitiesFlowController(CitiesBuilder(accessible: replay.session()), on: screens)
    try await replay.play(on: screens, start: flow.start)
}

@Suite("Recordings")
struct RecordingTests {
    @Test("A recording is the same after it was written and read, and its replay reaches the same states")
    func roundTrip() async throws {
        let recording = try await recordedCities()
        let data = try recording.data()
        #expect(try Recording(data) == recording)
        #expect(try Recording(data).data() == data)
        try await replay(try Recording(data))
    }

    @Test("Acts are recorded by the names on the screen, each before its event")
    func acts() async throws {
        let entries = try await recordedCities().runs[0].entries
        let acts = entries.indices.filter { if case .act = entries[$0] { true } else { false } }
        #expect(
            acts.map { entries[$0] } == [
                .act(.uses("London")), .act(.types("Sherlock Holmes", into: "Recipient")), .act(.uses("Back")),
            ])
        for index in acts {
            guard case let .event(event) = entries[index + 1] else { return #expect(Bool(false), "no event") }
            #expect(event.source == "sent")
        }
    }

    @Test("A replay that differs says where, with both sides", arguments: ["state", "event", "answer", "act"])
    func difference(kind: String) async throws {
        var recording = try await recordedCities()
        var expected = ""
        for (index, entry) in recording.runs[0].entries.enumerated() {
            switch (kind, entry) {
            case ("state", .event(var event)) where event.changed.contains { $0.path == "form.recipient" }:
                event.changed = [.init(path: "form.recipient", text: "\"John Watson\"")]
                recording.runs[0].entries[index] = .event(event)
                expected = "form.recipient.\n  recorded: \"John Watson\"\n  now:      \"Sherlock Holmes\""
            case ("event", .event(var event)) where event.changed.contains { $0.path == "form.recipient" }:
                event.event = ".didFail"
                recording.runs[0].entries[index] = .event(event)
                expected = "DeliveryViewModel reduced another event.\n  recorded: .didFail from"
            case ("answer", .answer(var answer)):
                answer.path = "/v2/cities"
                recording.runs[0].entries[index] = .answer(answer)
                expected = "The request GET /v2/cities was not sent."
            case ("act", .act(.uses("London", _), _)):
                recording.runs[0].entries[index] = .act(.uses("Atlantis"))
                expected = "The screen has no enabled control for using \"Atlantis\". The screen is:"
            default: continue
            }
            break
        }
        let error = await #expect(throws: ReplayError.self) { try await replay(recording, patience: .seconds(20)) }
        #expect(!expected.isEmpty && error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test("A request that the recording does not have is a difference, also if nothing else differs")
    func extraRequest() async throws {
        let replay = Replay(try await recordedCities().runs[0], patience: .seconds(20))
        let screens = ScreenStack()
        let flow = CitiesFlowController(CitiesBuilder(accessible: replay.session()), on: screens)
        let request = TransportRequest(
            method: .GET, url: try #require(URL(string: "https://api.cities.example/v1/prices?day=1")))
        let extra = Task { try await replay.transport.send(request) }
        let error = await #expect(throws: ReplayError.self) { try await replay.play(on: screens, start: flow.start) }
        #expect(
            error?.description.contains("The request GET /v1/prices?day=1 was sent") == true,
            "\(error?.description ?? "")")
        await #expect(throws: CoreError.self) { try await extra.value }
    }

    @Test("A request that was under way at the end of the recording may be so at the end of the replay")
    func unansweredRequest() async throws {
        let recorder = Recorder(features: ["cities"], services: BackendEnvironment.production.services)
        let session = BackendSession(
            environment: .production, credentials: FixedCredentials(.bearer("very secret")),
            transport: recorder.transport(StubTransport.silent))
        let screens = ScreenStack()
        recorder.follow(screens)
        let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)
        flow.start()
        await eventually("the request is under way") { recorder.run().unanswered?.count == 1 }
        let recording = try Recording(Recording(runs: [recorder.run()]).data())
        try await replay(recording)
        screens.pop(to: 0)
        await eventually("a cancelled request is not under way") { recorder.run().unanswered == [] }
    }

    @Test("A damaged number of a model is a difference", arguments: [Int.min, 0, .max])
    func damagedNumber(number: Int) async throws {
        var recording = try await recordedCities()
        for (index, entry) in recording.runs[0].entries.enumerated() {
            switch entry {
            case .model(var model):
                model.model = number
                recording.runs[0].entries[index] = .model(model)
            case .event(var event):
                event.model = number
                recording.runs[0].entries[index] = .event(event)
            case .act, .answer: break
            }
        }
        await #expect(throws: ReplayError.self) { try await replay(recording, patience: .milliseconds(100)) }
        recording.runs[0].entries.removeAll { if case .model = $0 { true } else { false } }
        await #expect(throws: ReplayError.self) { try await replay(recording, patience: .milliseconds(100)) }
    }

    @Test("An act is read as it was written, which leaves out the first place of a name and that nothing was under way")
    func writtenActs() throws {
        let acts: [Recording.Entry] = (0...2).flatMap { place in
            [.act(.uses("More", place: place), whileBusy: place > 0), .act(.types("Ada", into: "Name", place: place))]
        }
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: acts)
        let data = try Recording(runs: [run]).data()
        #expect(try Recording(data).runs == [run])
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.ranges(of: "\"place\"").count == 4 && text.ranges(of: "\"whileBusy\"").count == 2, "\(text)")
    }

    @Test("A damaged time is explained", arguments: ["1e300", "-1e300"])
    func damagedTime(time: String) async throws {
        let data = try await recordedCities().data()
        let text = String(decoding: data, as: UTF8.self).replacing("\"time\" : 1,", with: "\"time\" : \(time),")
            .replacing("\"time\" : 1\n", with: "\"time\" : \(time)\n")
        #expect(text.contains(time))
        #expect(throws: RecordingError.self) { try Recording(Data(text.utf8)) }
    }

    @Test("A model that has not begun has not left either")
    func notBegun() {
        #expect(!ReplayedModels().hasLeft(1, ScreenStack()))
    }

    @Test("Events that come late from a screen that has left are not taken for those that were recorded next")
    func lateEvents() async throws {
        func event(_ name: String) -> Recording.Entry {
            .event(
                Recording.Event(
                    model: 1, event: ".ui .rename \"\(name)\"", source: "sent",
                    changed: [.init(path: "", text: "\"\(name)\"")], removed: []))
        }
        let model = Recording.Model(
            model: 1, name: "NameViewModel", isScreen: true, state: [.init(path: "", text: "\"\"")])
        let entries = [.model(model), event("Ada"), event("Grace"), event("Mary")]
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
        let screens = ScreenStack()
        let names = LiveViewModel(NameViewModel())
        let number = Locked(0)
        try await Replay(run, patience: .seconds(60)).play(
            on: screens,
            start: { screens.push(LiveScreen(names, NameRenderer()) { _ in }) },
            onEntry: { _ in
                number.withLock { $0 += 1 }
                switch number.withLock({ $0 }) {
                case 2: screens.pop()
                case 3: names.send(.rename("Ada"))
                default: break
                }
            })
    }

    @Test(
        "An answer that is too large ends the recording, and is not read; a failed one leaves the file as it was",
        arguments: [(200, true), (404, false)])
    func largeAnswer(status: Int, isTooLarge: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let recorder = Recorder(features: [], services: [:])
        let transport = recorder.transport(
            StubTransport { request throws(CoreError) in
                // A file that is long, and takes no room.
                try? Data().write(to: file)
                truncate(file.path(), off_t(Recorder.maximumBodies + 1))
                return try TransportResponse(status: status, headers: [:], body: Data(), url: request.url)
            })
        var request = TransportRequest(url: try #require(URL(string: "https://api.example/film")))
        request.destination = .file(file)
        _ = try await transport.send(request)
        #expect(recorder.isFull == isTooLarge && recorder.run().entries.isEmpty == isTooLarge)
    }

    @Test("A damaged place of a control is explained", arguments: [Int.min, -1, .max])
    func damagedPlace(place: Int) async throws {
        let data = try await recordedCities().data()
        let text = String(decoding: data, as: UTF8.self)
            .replacing("\"uses\" : \"London\"", with: "\"place\": \(place), \"uses\": \"London\"")
        #expect(text.contains("\(place)"))
        let error = #expect(throws: RecordingError.self) { try Recording(Data(text.utf8)) }
        #expect(error?.description.contains("is damaged, at ") == true, "\(error?.description ?? "")")
    }

    @Test("A failure that is not of the network becomes the answer of a test")
    func statusFailure() throws {
        let answer = Recording.Answer(
            CannedAnswer(
                .GET, "/v1/cities",
                failing: .status(StatusFailure(code: 503, body: Data("Busy.".utf8), request: "GET /v1/cities"))))
        let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: [.answer(answer)])
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = RecordedTest(of: run, name: "Cities", imports: [], flow: [])
        try test.write(to: folder)
        let file = try String(contentsOf: folder.appending(path: "RecordedCities/get-v1-cities.json"), encoding: .utf8)
        #expect(file.contains("503") && file.contains("Busy."), "\(file)")
        _ = try CannedBackend(folder.appending(path: "RecordedCities"))
    }

    @Test("A test that cannot be written leaves the one that is there")
    func refusedTest() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        func test(_ answer: CannedAnswer) -> RecordedTest {
            let entries = [Recording.Entry.answer(Recording.Answer(answer))]
            let run = Recording.Run(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
            return RecordedTest(of: run, name: "Cities", imports: [], flow: [])
        }
        try test(CannedAnswer(.GET, "/v1/cities")).write(to: folder)
        let failure = CannedAnswer(.GET, "/v1/cities", failing: .request(RequestFailure("No.")))
        #expect(throws: (any Error).self) { try test(failure).write(to: folder) }
        #expect(
            FileManager.default.fileExists(atPath: folder.appending(path: "RecordedCities/get-v1-cities.json").path()))
    }

    @Test("Credentials are in no recording")
    func secrets() async throws {
        let data = try await recordedCities().data()
        #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
    }

    @Test(
        "A file that is not a recording, is damaged or has another version is explained",
        arguments: [
            ("", "The file is not a recording."), ("[1, 2]", "The file is not a recording."),
            (#"{"version": 1}"#, "The file is not a recording."),
            (#"{"recording": "Tape", "version": 1, "runs": []}"#, "The file is not a recording."),
            (
                #"{"recording": "Feedback", "version": 0}"#,
                "has version 0; this program reads version 1. Record the flow again."
            ),
            (
                #"{"recording": "Feedback", "version": 9}"#,
                "has version 9; this program reads version 1. Update the program."
            ),
            (
                #"{"recording": "Feedback", "version": 1}"#,
                "is damaged, at the file: The key \"runs\" is missing. Record the flow again."
            ),
            (
                #"{"recording": "Feedback", "version": 1, "runs": [{"features": 7}]}"#,
                "is damaged, at runs[0].features: "
            ),
        ])
    func unreadable(text: String, message: String) {
        let error = #expect(throws: RecordingError.self) { try Recording(Data(text.utf8)) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("A failure of the network is recorded, and replayed as the same failure")
    func failure() throws {
        let failure = CoreError.network(NetworkFailure(.other(code: 7), url: "http://x", detail: "Cut."))
        let answer = Recording.Answer(CannedAnswer(.GET, "/v1/cities", failing: failure))
        let read = try JSONDecoder().decode(Recording.Answer.self, from: JSONEncoder().encode(answer))
        guard case let .failure(error) = read.canned.outcome else { return #expect(Bool(false), "no failure") }
        #expect(error == failure)
    }

    @Test("A recording has a limit; beyond it only the beginning is kept")
    func limit() async throws {
        let recorder = Recorder(features: ["cities"], services: [:], maximumEntries: 10)
        let screens = ScreenStack()
        recorder.follow(screens)
        let session = try CannedBackend(CannedResponses.folder("Cities")).session()
        let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)
        flow.start()
        let person = ScriptedPerson(screens)
        #expect(!recorder.isFull)
        try await person.uses("London")
        for number in 0..<20 { try await person.types("\(number)", into: "Recipient") }
        #expect(recorder.isFull)
        #expect(recorder.run().entries.count <= 10)
    }

    @Test("Repeatable identifiers are the same for the same seed, and differ from each other and from those of another")
    func identifiers() {
        let (one, other, same) = (RepeatableIDs(seed: 1), RepeatableIDs(seed: 2), RepeatableIDs(seed: 1))
        let ids = (0..<100).map { _ in one.next() }
        #expect(ids == (0..<100).map { _ in same.next() })
        // Those of files that were recorded earlier.
        #expect(
            ids.prefix(2).map(\.uuidString) == [
                "C8080140-A376-47B2-BE62-0B67F1C4ED1B", "458B3B23-0DD1-47EC-A652-86E1BDF42EC6",
            ])
        #expect(Set(ids + (0..<100).map { _ in other.next() }).count == 200)
    }

    @Test("Two recordings at the same time do not make the same identifiers")
    func seeds() async throws {
        let recorders = (0..<2).map { _ in Recorder(features: [], time: .distantPast, services: [:]) }
        #expect(recorders[0].ids.next() != recorders[1].ids.next())
        #expect(recorders[0].run().seed == recorders[0].ids.seed)
        #expect(!recorders[0].run().endsBusy)
    }
}

@Suite("Tests of recordings")
struct RecordedTestTests {
    @Test("The source has the acts of the person, and the states after each")
    func source() async throws {
        let recording = try await recordedCities()
        let test = RecordedTest(
            of: recording.runs[0], name: "Cities", imports: ["Cities"], flow: ["let flow = makeFlow(session, screens)"])
        let source = test.source
        #expect(source.contains("try await person.uses(\"London\")"))
        #expect(source.contains("try await person.types(\"Sherlock Holmes\", into: \"Recipient\")"))
        #expect(source.contains("form.recipient: \"Sherlock Holmes\""))
        #expect(try test.cannedFiles().map(\.name) == ["get-v1-cities.json"])
    }

    @Test("The states at the end are expected, unless the screen was busy then")
    func end() throws {
        func line(_ text: String) -> ValueLines.Line { .init(path: "name", text: text) }
        let entries: [Recording.Entry] = [
            .model(.init(model: 1, name: "NameViewModel", isScreen: true, state: [line("empty")])), .act(.uses("More")),
            .event(.init(model: 1, event: ".ui(.more)", source: "sent", changed: [line("full")], removed: [])),
        ]
        func run(endsBusy: Bool?) -> Recording.Run {
            guard let endsBusy else {
                return .init(features: [], time: .distantPast, seed: 1, services: [:], entries: entries)
            }
            return .init(
                features: [], time: .distantPast, seed: 1, services: [:], entries: entries, endsBusy: endsBusy)
        }
        for endsBusy in [nil, false, true] {
            let source = RecordedTest(of: run(endsBusy: endsBusy), name: "Names", imports: [], flow: []).source
            #expect(source.contains("name: empty") && source.contains("name: full") == (endsBusy != true))
        }
    }

    @Test("A test hides what the recorder has hidden by words of its own")
    func redaction() async throws {
        struct ViewModel: Presentation.ViewModel {
            struct State: Equatable, Sendable { var ssn = "" }
            enum Event: ActionEvent, Equatable { case ui(String) }

            var initial: State { State() }

            static func reduce(_ state: inout State, _ event: Event) {
                if case let .ui(number) = event { state.ssn = number }
            }
        }
        struct Numbers: Renderer {
            func render(_ state: ViewModel.State) -> Screen<String> {
                Screen(title: "Numbers", actions: [.init("Show", action: "078-05-1120")])
            }
        }
        let redaction = Redaction(words: ["ssn"])
        let screens = ScreenStack()
        let states = RecordedStates(screens, redaction: redaction)
        screens.push(LiveScreen(ViewModel(), Numbers()))
        await states.expect("ViewModel begins\n  ssn: <redacted>")
        try await ScriptedPerson(screens).uses("Show")
        await states.expect("")
        let test = RecordedTest(
            of: try await recordedCities().runs[0], name: "Cities", imports: [], flow: [],
            redaction: "Redaction(words: [\"ssn\"])")
        #expect(test.source.contains("RecordedStates(screens, redaction: Redaction(words: [\"ssn\"]))"))
    }

    @Test(
        "The source has the constants that the flow names, and no other",
        arguments: [
            ("let flow = flow(makeID: { ids.next() })", ["ids"]),
            ("let flow = flow(at: now.addingTimeInterval(1), on: screens)", ["now"]),
            ("let flow = flow(now, ids)", ["ids", "now"]),
            ("let flow = flow(kids, known, ids2, now_)", []),
        ])
    func constants(flow: String, names: [String]) async throws {
        let source = RecordedTest(of: try await recordedCities().runs[0], name: "Cities", imports: [], flow: [flow])
            .source
        #expect(["ids", "now"].filter { source.contains("let \($0) = ") } == names)
    }

    @Test("A recording by somebody else cannot choose where its canned responses are written")
    func foreignNames() async throws {
        var run = try await recordedCities().runs[0]
        for (index, entry) in run.entries.enumerated() {
            guard case .answer(var answer) = entry else { continue }
            answer.method = "../../../../tmp/GET"
            answer.path = "/../..\u{0}/v1"
            run.entries[index] = .answer(answer)
        }
        let names = try RecordedTest(of: run, name: "Cities", imports: [], flow: []).cannedFiles().map(\.name)
        #expect(!names.isEmpty)
        for name in names { #expect(!name.contains { "/\\\0".contains($0) } && !name.hasPrefix("."), "\(name)") }
    }

    @Test("The archive unpacks to the test and its canned responses, whatever the length of their names")
    func archive() async throws {
        let run = try await recordedCities().runs[0]
        let test = RecordedTest(of: run, name: "Cities", imports: ["Cities"], flow: ["let flow = 0"])
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let long = String(repeating: "long", count: 40) + ".json"
        var archive = TarArchive()
        archive.add(long, Data("{}".utf8))
        // The entry of a long name counts the zero at its end.
        let size = String(decoding: archive.data.dropFirst(124).prefix(11), as: UTF8.self)
        #expect(Int(size, radix: 8) == long.utf8.count + 1)
        #expect(Array(archive.data[257..<265]) == Array("ustar\0".utf8) + Array("00".utf8))
        for (name, data) in [("one.tar", try test.archive()), ("long.tar", archive.data)] {
            let file = folder.appending(path: name)
            try data.write(to: file)
            let tar = try ChildProcess("/usr/bin/env", ["tar", "-x", "-f", file.path(), "-C", folder.path()])
            #expect(await tar.end() == .exit(0))
        }
        let source = try String(contentsOf: folder.appending(path: "RecordedCitiesTests.swift"), encoding: .utf8)
        #expect(source == test.source)
        let answer = try Data(contentsOf: folder.appending(path: "RecordedCities/get-v1-cities.json"))
        #expect(try answer == test.cannedFiles()[0].data)
        #expect(try Data(contentsOf: folder.appending(path: long)) == Data("{}".utf8))
    }

    @Test("The states of a flow are as they were recorded, or the difference is shown")
    func states() async throws {
        let screens = ScreenStack()
        let states = RecordedStates(screens)
        let session = try CannedBackend(CannedResponses.folder("Cities")).session()
        let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)
        flow.start()
        let person = ScriptedPerson(screens)
        try await person.uses("London")
        try await person.types("Mycroft", into: "Recipient")
        await withKnownIssue {
            await states.expect("CitiesViewModel begins\n  loading: .failed", within: .milliseconds(100))
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("loading: .failed") && $0.rawValue.contains("Mycroft") }
        }
    }
}
