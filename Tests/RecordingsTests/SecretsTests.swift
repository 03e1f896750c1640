import Feedback
import FeedbackTesting
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

/// A form with a password, and a state that keeps the password in an enum.
private struct SignInViewModel: ViewModel {
    struct Form: TextForm, Equatable {
        enum Field: CaseIterable, Sendable { case user, password, word, motto }
        var user = ""
        var password = ""
        /// A text whose name in the state says nothing.
        var word = ""
        /// A text in a field whose label says nothing, but which is for a secret.
        var motto = ""
        func problem(in field: Field) -> String? { nil }
        static func text(of field: Field) -> WritableKeyPath<Form, String> {
            switch field {
            case .user: \.user
            case .password: \.password
            case .word: \.word
            case .motto: \.motto
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
        let rows = state.form.rows(
            showsProblems: false, isSecret: { $0 == .motto }, edit: { SignInViewModel.Action.edit($0, $1) }
        ) { field in
            switch field {
            case .user: ("User", "")
            case .password: ("Password", "")
            case .word: ("Secret word", "")
            case .motto: ("Motto", "")
            }
        }
        return Screen(title: "Sign in", sections: [.init(rows: rows)])
    }
}

/// A screen with two buttons, which keeps the names of those that were used.
private struct MenuViewModel: ViewModel {
    struct State: Equatable, Sendable { var used: [String] = [] }
    enum Event: ActionEvent, Equatable { case ui(String) }

    var initial: State { State() }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(name): state.used.append(name)
        }
    }
}

private struct MenuRenderer: Renderer {
    func render(_ state: MenuViewModel.State) -> Screen<String> {
        Screen(title: "Menu", actions: ["Back", "Sort: key=name"].map { .init($0, action: $0) })
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

    @Test("Are in no act, event or state, and the replay is the same", arguments: ["Password", "Secret word", "Motto"])
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
        let field = TypedSecrets.Field(model: 1, name: "Password", place: 0)
        var secrets = TypedSecrets()
        secrets.add("", in: field)
        secrets.add("abc", in: field)
        #expect(secrets.isEmpty)
        for text in ["hunt", "hunter2", "p\"w\\d"] { secrets.add(text, in: field) }
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

    @Test("The beginning of a secret is not a secret in the acts after it, but a text that was used is")
    func beginnings() {
        var secrets = TypedSecrets()
        let field = TypedSecrets.Field(model: 1, name: "Password", place: 0)
        for text in ["h", "hu", "hun", "hunt", "hunte", "hunter"] { secrets.add(text, in: field) }
        #expect(secrets.whole == ["hunter"])
        secrets.endTyping()
        for text in ["hunter2", "hunter22"] { secrets.add(text, in: field) }
        #expect(secrets.whole == ["hunter22", "hunter"])
        secrets.add("hunter22?", in: .init(model: 1, name: "Pass", place: 0))
        #expect(secrets.whole == ["hunter22?", "hunter22", "hunter"])
        secrets.add("hunter", in: field)
        #expect(secrets.removed(from: .uses("the hunters of hunte")) == .uses("the <redacted>s of hunte"))
    }

    @Test(
        "A secret that is deleted letter by letter stays one, and the texts on the way are none",
        arguments: [
            (["hunters", "hunter", "hunte", "hunt", "hun", ""], ["hunters"]),
            (["hunters", "hunter", "hunte", "hunter", "hunter2"], ["hunters", "hunter2"]),
            (["hunters", "hunter", "hunte"], ["hunters", "hunte"]),
            (["hunters", "other", "othe"], ["hunters", "other", "othe"]),
        ])
    func deletions(typed: [String], whole: [String]) {
        var secrets = TypedSecrets()
        for text in typed { secrets.add(text, in: .init(model: 1, name: "Password", place: 0)) }
        #expect(secrets.whole == whole)
    }

    @Test("A text in another field is a secret of its own, although it is the beginning of the one before")
    func otherField() {
        var secrets = TypedSecrets()
        secrets.add("hunters", in: .init(model: 1, name: "Password", place: 0))
        for text in ["hunter", "hunte"] { secrets.add(text, in: .init(model: 1, name: "Pass", place: 0)) }
        #expect(secrets.whole == ["hunters", "hunter", "hunte"])
    }

    @Test("The mark stands for any text, in either of two texts that are compared")
    func marks() {
        let texts = ["key=<redacted>&page=1", "key=abc&page=1", "key=<redacted>&page=2"]
        for text in texts { #expect(text.isSame(as: text)) }
        #expect(texts[0].isSame(as: texts[1]) && texts[1].isSame(as: texts[0]))
        #expect(!texts[2].isSame(as: texts[1]) && !texts[1].isSame(as: texts[2]) && !texts[0].isSame(as: texts[2]))
    }

    @Test("Two states differ only in secrets if the mark stands in place of the texts or of the keys that differ")
    func statesWithMarks() {
        func state(_ key: String, _ text: String) -> ValueLines {
            ValueLines([.init(path: "", text: "State"), .init(path: "attempts.\"\(key)\"", text: text)])
        }
        let marked = state("vault: <redacted>", "<redacted>")
        for (old, new, isSame) in [
            (marked, state("vault: a", "1"), true), (marked, state("other: a", "1"), false),
            (state("vault: <redacted>", "1"), state("vault: a", "2"), false),
            (state("a", "1"), state("b", "1"), false), (state("a", "<redacted>"), state("a", "1"), true),
            (state("a", "2"), state("a", "1"), false), (marked, ValueLines([]), false),
        ] {
            #expect(old.differsOnlyInSecrets(from: new) == isSame)
            #expect(new.differsOnlyInSecrets(from: old) == isSame)
        }
        #expect(!marked.differsOnlyInSecrets(from: marked))
    }

    @Test("A control whose name has a mark in it is found if no other name fits, by a replay and by a written test")
    func markedNames() async throws {
        let screens = ScreenStack()
        let menu = LiveViewModel(MenuViewModel())
        screens.push(LiveScreen(menu, MenuRenderer()) { _ in })
        let person = ScriptedPerson(screens) { $0.looking = .zero }
        try await person.uses("Sort: key=<redacted>")
        let again = try #require(screens.top?.screen.action(of: .uses("Sort: key=<redacted>")))
        again()
        await screens.top?.settled()
        #expect(menu.state.value.used == ["Sort: key=name", "Sort: key=name"])
        #expect(screens.top?.screen.action(of: .uses("<redacted>")) == nil)
        await #expect(throws: ScriptError.self) { try await person.uses("<redacted>") }
    }

    @Test("Are in no act on another control either")
    func otherActs() async throws {
        let recording = try await record { person in
            try await person.types("hunter2", into: "Password")
            try await person.types("hunter2", into: "User")
        }
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(!text.contains("hunter2"), "\(text)")
        try await replay(recording)
    }

    @Test("A secret is in no later act, also if the field has got a longer one after something else was done")
    func laterActs() async throws {
        let recording = try await record { person in
            try await person.types("hunter", into: "Password")
            try await person.types("Ada", into: "User")
            try await person.types("hunter22", into: "Password")
            try await person.types("hunter", into: "User")
        }
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(text.contains("Ada") && !text.contains("hunter"), "\(text)")
        try await replay(recording)
    }

    @Test(
        "A secret that is known by the name of a query item is in no act, event or state",
        arguments: ["https://cdn.example/a.jpg?signature=abc&size=1", "token=abc"])
    func queryItems(text: String) async throws {
        let recording = try await record { try await $0.types(text, into: "User") }
        let file = String(decoding: try recording.data(), as: UTF8.self)
        #expect(!file.contains("abc"), "\(file)")
        try await replay(recording)
    }

    @Test(
        "A state has the same lines with the secrets of an answer as with the marks that a recording has in their place",
        arguments: [
            "https://cdn.example/a.jpg?signature=abc&size=1", "see ?token=abc,def\n\"and\" more", #"{"token": "abc"}"#,
        ])
    func sameLines(text: String) throws {
        struct State: Sendable {
            var text: String
            var url: URL?
            var byText: [String: Int]
        }
        func lines(_ text: String) -> [String] {
            var describer = ValueDescriber(Redaction())
            let url = URL(string: String(text.prefix { $0 != " " }))
            return describer.lines(of: State(text: text, url: url, byText: [text: 1])).lines.map(\.description)
        }
        let recorded = lines(text)
        #expect(!recorded.contains { $0.contains("abc") }, "\(recorded)")
        #expect(recorded == lines(Redaction().text(text)))
    }

    @Test("The recorded addresses of the services have no password and no key")
    func services() throws {
        let url = try #require(URL(string: "https://user:pw@staging.example/v1?api_key=abc&page=2"))
        let run = Recorder(features: [], services: [.core: url]).run()
        let file = String(decoding: try Recording(runs: [run]).data(), as: UTF8.self)
        #expect(file.contains("https://staging.example/v1?"))
        for secret in ["user", "pw", "abc"] { #expect(!file.contains(secret), "\(file)") }
    }
}

// MARK: - Secrets that a backend repeats

/// A screen with a password, which greets the person whose password it is.
private struct GreetingViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var password = ""
        var request: String?
        var greeting = ""
    }

    enum Action: Equatable, Sendable { case edit(String), send }
    enum Event: ActionEvent, Equatable { case ui(Action), greet(String) }

    let transport: any Transport

    var initial: State { State() }

    var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(skippingRepeated: \.request) { [transport] request in
                guard let url = URL(string: "https://api.example/users/\(request)?name=\(request)") else {
                    return nil
                }
                do throws(CoreError) {
                    let body = try await transport.send(TransportRequest(url: url)).body
                    let json = try? JSONDecoder().decode([String: String].self, from: body)
                    return .greet(json?["greeting"] ?? String(decoding: body, as: UTF8.self))
                } catch {
                    return .greet("\(error)")
                }
            }
        ]
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(text)): state.password = text
        case .ui(.send): state.request = state.password.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        case let .greet(text): state.greeting = text
        }
    }
}

private struct GreetingRenderer: Renderer {
    func render(_ state: GreetingViewModel.State) -> Screen<GreetingViewModel.Action> {
        let greeting = Screen<GreetingViewModel.Action>.Row.text(state.greeting)
        let field = Screen<GreetingViewModel.Action>.Row.field("Password", text: state.password) { .edit($0) }
        return Screen(
            title: "Sign in", sections: [.init(rows: [field, greeting])], actions: [.init("Sign in", action: .send)])
    }
}

@Suite("Secrets that were typed, and that a backend repeats")
struct RepeatedSecretsTests {
    /// Records a person who signs in with the password `hunter2`.
    private func record(
        _ transport: any Transport, typing texts: [String] = ["hunter2"], until isDone: (Recording.Run) -> Bool
    ) async throws -> Recording {
        let recorder = Recorder(features: ["greeting"], services: [:])
        let screens = ScreenStack()
        recorder.follow(screens)
        screens.push(LiveScreen(GreetingViewModel(transport: recorder.transport(transport)), GreetingRenderer()))
        let person = ScriptedPerson(screens)
        for text in texts { try await person.types(text, into: "Password") }
        try await person.uses("Sign in")
        await eventually("the run is recorded") { isDone(recorder.run()) }
        return Recording(runs: [recorder.run()])
    }

    @Test("A text that an answer has in common with the beginning of a secret stays, although each key was typed")
    func beginning() async throws {
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 200, body: Data(#"{"greeting":"Hello hunt"}"#.utf8), url: request.url)
        }
        let keys = ["h", "hu", "hun", "hunt", "hunte", "hunter", "hunter2"]
        let recording = try await record(transport, typing: keys) { $0.greets }
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(text.contains("Hello hunt\\\""), "\(text)")
        try await check(recording)
    }

    private func check(_ recording: Recording) async throws {
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(!text.contains("hunter2"), "\(text)")
        let replay = Replay(recording.runs[0], patience: .seconds(60))
        let screens = ScreenStack()
        try await replay.play(on: screens) {
            screens.push(LiveScreen(GreetingViewModel(transport: replay.transport), GreetingRenderer()))
        }
    }

    @Test(
        "Are in no answer, and the replay is the same",
        arguments: ["Hello hunter2", #"{"greeting":"Hello hunter2"}"#])
    func answers(body: String) async throws {
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 200, headers: ["X-Name": "hunter2"], body: Data(body.utf8), url: request.url)
        }
        try await check(try await record(transport) { $0.greets })
    }

    @Test("Are in no failure")
    func failures() async throws {
        let transport = StubTransport { request throws(CoreError) in
            throw .network(NetworkFailure(.timedOut, url: "\(request.url)", detail: "hunter2 did not answer."))
        }
        try await check(try await record(transport) { $0.greets })
    }

    @Test("Are in no request that was not answered")
    func unanswered() async throws {
        try await check(try await record(StubTransport.silent) { $0.unanswered?.count == 1 })
    }
}

extension Recording.Run {
    /// True if a greeting has come.
    fileprivate var greets: Bool {
        entries.contains { if case let .event(event) = $0 { event.event.hasPrefix(".greet") } else { false } }
    }
}
