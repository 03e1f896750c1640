import Canned
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

@Suite("The source of a recorded test")
struct RecordedSourceTests {
    private func model(_ number: Int, _ name: String, isScreen: Bool = true) -> Recording.Entry {
        .model(.init(model: number, name: name, isScreen: isScreen, state: [.init(path: "text", text: "\"\"")]))
    }

    private func event(_ model: Int, _ text: String, source: String = "sent") -> Recording.Entry {
        let changed = [ValueLines.Line(path: "text", text: text)]
        return .event(.init(model: model, event: ".ui", source: source, changed: changed, removed: []))
    }

    @Test("It makes the session and the flow, repeats each act, and expects the states of the screens after it")
    func source() throws {
        let services = try ["b": "https://b.example", "a": "https://a.example/\"v1\""].mapValues {
            try #require(URL(string: $0))
        }
        let answer = Recording.Entry.answer(Recording.Answer(CannedAnswer(.GET, "/")))
        let run = Recording.Run(
            features: [], time: Date(timeIntervalSinceReferenceDate: 1.5), seed: 7, services: services,
            entries: [
                model(1, "Notes"), model(2, "Cache", isScreen: false), answer, event(2, "1"),
                .act(.uses("Open \"all\"", place: 1)), model(3, "Notes"), event(3, "\"\\#\""),
                .act(.types("a\nb", into: "Title", place: 2)), event(1, "\"\"\"#\""),
                .act(.types("a", into: "Title")), event(1, "a"),
            ])
        let test = RecordedTest(
            of: run, name: "Notes", imports: ["Notes", "Testing", "Alarms"],
            flow: ["let flow = Flow(", "    session, screens, now, ids)"])
        let url = services["a"]?.absoluteString.debugDescription ?? ""
        #expect(
            test.source == ###"""
                // Written from a recording.
                import Alarms
                import FeedbackTesting
                import Foundation
                import Networking
                import Notes
                import Presentation
                import Recordings
                import Testing

                @Suite("Recorded: Notes")
                struct RecordedNotesTests {
                    @Test("The flow reaches the states that were recorded")
                    func flow() async throws {
                        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "RecordedNotes")
                        let backend = try CannedBackend(folder)
                        var environment = BackendEnvironment(name: "recorded", services: [:])
                        environment.services["a"] = URL(string: \###(url))
                        environment.services["b"] = URL(string: "https://b.example")
                        let session = backend.session(environment: environment)
                        let screens = ScreenStack()
                        let states = RecordedStates(screens)
                        let now = Date(timeIntervalSinceReferenceDate: 1.5)
                        let ids = RepeatableIDs(seed: 7)
                        let flow = Flow(
                            session, screens, now, ids)
                        flow.start()
                        let person = ScriptedPerson(screens)

                        await states.expect(
                            #"""
                            Notes begins
                              text: ""
                            """#)

                        try await person.uses("Open \"all\"", number: 1)
                        await states.expect(
                            ##"""
                            Notes 2 begins
                              text: "\#"
                            """##)

                        try await person.types("a\nb", into: "Title", number: 2)
                        await states.expect(
                            ##"""
                            Notes
                              text: """#"
                            """##)

                        try await person.types("a", into: "Title")
                        await states.expect(
                            #"""
                            Notes
                              text: a
                            """#)
                    }
                }

                """###)
    }
}
