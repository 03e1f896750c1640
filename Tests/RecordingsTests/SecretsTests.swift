import Feedback
import Foundation
import Presentation
import Testing

@testable import Recordings

/// A form with a password, and a state that keeps the password in an enum.
private struct SignInViewModel: ViewModel {
    struct Form: TextForm, Equatable {
        enum Field: CaseIterable, Sendable { case user, password, word }
        var user = ""
        var password = ""
        /// A text whose name in the state says nothing.
        var word = ""
        func problem(in field: Field) -> String? { nil }
        static func text(of field: Field) -> WritableKeyPath<Form, String> {
            switch field {
            case .user: \.user
            case .password: \.password
            case .word: \.word
            }
        }
    }

    enum Login: Equatable, Sendable { case none, password(String) }

    struct State: Equatable, Sendable {
        var form = Form()
        var login = Login.none
        var byField: [String: String] = [:]
    }

    enum Action: Equatable, Sendable { case edit(Form.Field, String) }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: State { State() }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(field, text)):
            state.form[field] = text
            state.byField["\(field)"] = text
            if field == .password { state.login = .password(text) }
        }
    }
}

private struct SignInRenderer: Renderer {
    func render(_ state: SignInViewModel.State) -> Screen<SignInViewModel.Action> {
        let rows = state.form.rows(showsProblems: false, edit: { SignInViewModel.Action.edit($0, $1) }) { field in
            switch field {
            case .user: ("User", "")
            case .password: ("Password", "")
            case .word: ("Secret word", "")
            }
        }
        return Screen(title: "Sign in", sections: [.init(rows: rows)])
    }
}

@Suite("Secrets that are typed")
struct SecretsTests {
    /// Records what a person types, and returns the recording.
    private func record(_ act: (ScriptedPerson) async throws -> Void) async throws -> Recording {
        let recorder = Recorder(features: ["sign in"], services: [:])
        let screens = ScreenStack()
        recorder.follow(screens)
        screens.push(LiveScreen(SignInViewModel(), SignInRenderer()))
        try await act(ScriptedPerson(screens))
        return Recording(runs: [recorder.run()])
    }

    private func replay(_ recording: Recording) async throws {
        let screens = ScreenStack()
        try await Replay(recording.runs[0]).play(on: screens) {
            screens.push(LiveScreen(SignInViewModel(), SignInRenderer()))
        }
    }

    @Test("Are in no act, event or state, and the replay is the same", arguments: ["Password", "Secret word"])
    func typed(field: String) async throws {
        let recording = try await record { person in
            try await person.types("Ada", into: "User")
            for text in ["h", "hu", "hun", "hunter2"] { try await person.types(text, into: field) }
            try await person.types("Ada Lovelace", into: "User")
        }
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(!text.contains("hun") && !text.contains("\\\"h"), "\(text)")
        #expect(text.contains("Ada Lovelace"))
        try await replay(recording)
    }

    @Test("A text that was there before does not count as the secret")
    func sameText() async throws {
        let recording = try await record { person in
            try await person.types("admin", into: "User")
            try await person.types("admin", into: "Password")
            try await person.types("Milk", into: "Secret word")
        }
        try await replay(recording)
    }

    @Test(
        "A short secret is removed where typing it has put it, and nowhere else",
        arguments: ["Password", "Secret word"])
    func short(field: String) async throws {
        let recording = try await record { person in
            try await person.types("on", into: field)
            try await person.types("on", into: "User")
        }
        let paths = ["form.user", field == "Password" ? "form.password" : "form.word"]
        var texts: [String] = []
        for case let .event(event) in recording.runs[0].entries {
            texts += event.changed.filter { paths.contains($0.path) }.map(\.text)
        }
        // A part with the name of a secret never shows a change.
        #expect(texts == (field == "Password" ? [] : ["\"<redacted>\""]) + ["\"on\""])
        try await replay(recording)
    }

    @Test("A short secret is removed also if the program sends an event between the act and its own")
    func foreignEvent() async throws {
        let recorder = Recorder(features: ["sign in"], services: [:])
        let screens = ScreenStack()
        recorder.follow(screens)
        let model = LiveViewModel(SignInViewModel())
        screens.push(LiveScreen(model, SignInRenderer()) { _ in })
        // After the recorder, which has noted the act by then.
        let meddling = screens.acts.startWithValues { [weak model] _ in model?.send(.edit(.user, "Ada")) }
        try await ScriptedPerson(screens).types("abc", into: "Secret word")
        meddling.dispose()
        let text = String(decoding: try Recording(runs: [recorder.run()]).data(), as: UTF8.self)
        #expect(text.contains("Ada") && !text.contains("abc"), "\(text)")
    }

    @Test("A text that contains a secret by chance is replaced, and the replay takes any text in its place")
    func chance() async throws {
        let recording = try await record { person in
            try await person.types("main", into: "Password")
            try await person.types("mainland", into: "User")
        }
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(text.contains("<redacted>land"))
        try await replay(recording)
        var other = recording
        for (index, entry) in other.runs[0].entries.enumerated() {
            guard case .event(var event) = entry else { continue }
            event.changed = event.changed.map {
                .init(path: $0.path, text: $0.text.replacing("<redacted>land", with: "<redacted>shore"))
            }
            other.runs[0].entries[index] = .event(event)
        }
        await #expect(throws: ReplayError.self) { try await replay(other) }
    }

    @Test("A typed secret is found in other texts unless it is short, and signs as they are written")
    func texts() {
        var secrets = TypedSecrets()
        secrets.add("")
        secrets.add("abc")
        #expect(secrets.isEmpty)
        for text in ["hunt", "hunter2", "p\"w\\d"] { secrets.add(text) }
        let texts = ["Bearer hunter2", "hunts", "abc", "abcd", "", "it is p\"w\\d."].map(\.debugDescription)
        #expect(
            texts.map { secrets.removed(from: $0) } == [
                "\"Bearer <redacted>\"", "\"<redacted>s\"", "\"abc\"", "\"abcd\"", "\"\"",
                "\"it is <redacted>.\"",
            ])
    }

    @Test("The text of a secret case is hidden, and what stands beside a case that names a secret")
    func cases() {
        enum Part: Sendable { case password, token(String), name }
        struct Value: Sendable {
            var edit: (Part, String) = (.password, "one")
            var other: (Part, String) = (.name, "shown")
            var token = Part.token("two")
            var byName = ["password": "three"]
            var tokens = ["four": 1]
        }
        var describer = ValueDescriber(.init())
        let lines = describer.lines(of: [Value()]).lines.map(\.description)
        for secret in ["one", "two", "three", "four"] { #expect(!lines.contains { $0.contains(secret) }, "\(lines)") }
        #expect(lines.contains("[0].other[1]: \"shown\""), "\(lines)")
    }
}
