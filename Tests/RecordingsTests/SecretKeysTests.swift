import FeedbackTesting
import Foundation
import Presentation
import Testing

@testable import Recordings

/// A form with a password, and a state in which passwords and other texts are keys of dictionaries.
private struct VaultViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var password = ""
        /// The attempts with each password.
        var attempts: [String: Int] = [:]
        var owners: [String: String] = [:]
    }

    enum Action: Equatable, Sendable { case type(String), open, load }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: State { State() }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.type(text)): state.password = text
        case .ui(.open): state.attempts["vault: \(state.password)", default: 0] += 1
        // A name that a server knows, and that is the password by chance.
        case .ui(.load): state.owners = ["hunter2": "Ada", "other": "Grace"]
        }
    }
}

private struct VaultRenderer: Renderer {
    func render(_ state: VaultViewModel.State) -> Screen<VaultViewModel.Action> {
        Screen(
            title: "Vault",
            sections: [.init(rows: [.field("Password", text: state.password, edit: { .type($0) })])],
            actions: [.init("Open", action: .open), .init("Load", action: .load)])
    }
}

@Suite("Secrets that are typed, in the keys of dictionaries")
struct SecretKeysTests {
    private func record(_ password: String, uses button: String) async throws -> Recording {
        let recorder = Recorder(features: ["vault"], services: [:])
        let screens = ScreenStack()
        recorder.follow(screens)
        screens.push(LiveScreen(VaultViewModel(), VaultRenderer()))
        let person = ScriptedPerson(screens)
        try await person.types(password, into: "Password")
        try await person.uses(button)
        try await person.uses(button)
        return Recording(runs: [recorder.run()])
    }

    private func replay(_ recording: Recording) async throws {
        let screens = ScreenStack()
        try await Replay(recording.runs[0], patience: .seconds(10)).play(on: screens) {
            screens.push(LiveScreen(VaultViewModel(), VaultRenderer()))
        }
    }

    @Test("Are in no key of a state, and the replay is the same", arguments: ["hunter2", "say \"please\" \\ now"])
    func keys(password: String) async throws {
        let recording = try await record(password, uses: "Open")
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(!text.contains("hunter2") && !text.contains("please"), "\(text)")
        #expect(text.contains("vault: <redacted>"))
        try await replay(recording)
    }

    @Test("A key that contains a secret by chance is replaced, and the replay takes any key in its place")
    func chance() async throws {
        let recording = try await record("hunter2", uses: "Load")
        let text = String(decoding: try recording.data(), as: UTF8.self)
        #expect(!text.contains("hunter2"), "\(text)")
        #expect(text.contains("Grace"))
        try await replay(recording)
    }

    @Test("The names of the parts of a state stay, although a secret is spelled like one of them")
    func names() async throws {
        let recording = try await record("attempts", uses: "Open")
        let paths = recording.runs[0].entries.flatMap { entry -> [String] in
            if case let .event(event) = entry { event.changed.map(\.path) } else { [] }
        }
        #expect(paths.contains("attempts.\"vault: <redacted>\""), "\(paths)")
        try await replay(recording)
    }
}
