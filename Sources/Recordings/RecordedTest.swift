import Canned
import Feedback
import Foundation
import Networking
import Presentation

/// The source of a test that repeats a recorded run: a scripted person, canned responses in a folder, and an
/// expectation after each act.
///
/// ```swift
/// let test = RecordedTest(
///     of: recording.runs[0], name: "Cities", imports: ["Cities"],
///     flow: ["let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)"])
/// try test.write(to: folder)
/// ```
///
/// Add it to a test target that depends on `FeedbackTesting` and on the feature. The test passes if the feature still
/// does what was recorded, and otherwise shows the first difference. It waits for the end of progress before each act,
/// and expects no state that the recorded person has left before: a ``Replay`` is exact.
public struct RecordedTest: Sendable {
    private let run: Recording.Run
    let name: String
    private let imports: [String]
    private let flow: [String]
    private let redaction: String?

    /// - Parameters:
    ///   - name: The name of the suite, the file and the folder: `Cities` gives `RecordedCitiesTests.swift`.
    ///   - imports: The modules of the feature.
    ///   - flow: Source that makes the constant `flow`, a flow controller, from `session`, `screens`, `now` and `ids`.
    ///   - redaction: Source of the recorder's redaction, if it has one of its own: `Redaction(words: ["ssn"])`.
    public init(
        of run: Recording.Run, name: String, imports: [String], flow: [String], redaction: String? = nil
    ) {
        self.run = run
        self.name = name
        self.imports = imports
        self.flow = flow
        self.redaction = redaction
    }

    /// Writes the test and its folder of canned responses, which replaces an earlier folder of that name.
    public func write(to folder: URL) throws {
        let responses = folder.appending(path: "Recorded\(name)")
        let files = try cannedFiles()
        try? FileManager.default.removeItem(at: responses)
        try FileManager.default.createDirectory(at: responses, withIntermediateDirectories: true)
        for (file, data) in files { try data.write(to: responses.appending(path: file)) }
        try Data(source.utf8).write(to: folder.appending(path: "Recorded\(name)Tests.swift"))
    }

    /// Returns the canned responses, by the names of their files.
    public func cannedFiles() throws -> [(name: String, data: Data)] {
        let names = CannedFileNames()
        return try run.entries.compactMap { entry in
            guard case let .answer(answer) = entry else { return nil }
            var canned = answer.canned
            // A file has no field for the error that a status makes of an answer. The session makes it again.
            if case let .failure(.status(failure)) = canned.outcome {
                canned.outcome = .response(status: failure.code, headers: failure.headers, body: failure.body)
            }
            return (names.fileName(for: canned), try canned.file())
        }
    }

    // MARK: - Source

    /// The source of the test.
    public var source: String {
        let modules =
            ["FeedbackTesting", "Foundation", "Networking", "Presentation", "Recordings", "Testing"] + imports
        let body = setup + flow + ["flow.start()", "let person = ScriptedPerson(screens)"] + parts.flatMap(lines)
        var lines = ["// Written from a recording."]
        lines += Set(modules).sorted().map { "import \($0)" }
        lines += [
            "",
            "@Suite(\(Self.literal("Recorded: \(name)")))",
            "struct Recorded\(name)Tests {",
            "    @Test(\"The flow reaches the states that were recorded\")",
            "    func flow() async throws {",
        ]
        lines += body.map { $0.isEmpty ? "" : "        \($0)" }
        lines += ["    }", "}", ""]
        return lines.joined(separator: "\n")
    }

    /// The constants from which the flow is made.
    private var setup: [String] {
        var lines: [String] = []
        if run.hasAnswers {
            lines += [
                "let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: \"Recorded\(name)\")",
                "let backend = try CannedBackend(folder)",
            ]
        } else {
            // Neither an archive nor git keeps an empty folder.
            lines.append("let backend = CannedBackend()")
        }
        lines.append("var environment = BackendEnvironment(name: \"recorded\", services: [:])")
        for (name, url) in run.services.sorted(by: { $0.key < $1.key }) {
            let url = Self.literal(url.absoluteString)
            lines.append("environment.services[\(Self.literal(name))] = URL(string: \(url))")
        }
        lines += [
            "let session = backend.session(environment: environment)",
            "let screens = ScreenStack()",
            "let states = RecordedStates(screens\(redaction.map { ", redaction: \($0)" } ?? ""))",
        ]
        let code = flow.joined(separator: "\n")
        if Self.code(code, names: "now") {
            lines.append("let now = Date(timeIntervalSinceReferenceDate: \(run.time.timeIntervalSinceReferenceDate))")
        }
        if Self.code(code, names: "ids") { lines.append("let ids = RepeatableIDs(seed: \(run.seed))") }
        return lines
    }

    /// An act, which the first part does not have, and the states after it.
    private struct Part {
        var act: ScreenStack.Act?
        /// The number of times that a button was pressed.
        var times = 1
        /// True if an effect has sent an event since the act.
        var hasAnswered = false
        var lines: [String] = []
    }

    /// The acts, each with the states that it led to.
    ///
    /// The scripted person of the test waits before each act until the screen shows no progress. The recorded one may
    /// not have: states that were left while the screen was busy are not expected, and acts that followed each other at
    /// once are one.
    private var parts: [Part] {
        var names: [Int: String] = [:]
        var states: [Int: ValueLines] = [:]
        var asserted: [Int: ValueLines] = [:]
        var parts = [Part()]
        func finish() {
            for model in names.keys.sorted() {
                guard let name = names[model], let state = states[model] else { continue }
                parts[parts.count - 1].lines += StateText.lines(of: name, from: asserted[model], to: state)
                asserted[model] = state
            }
        }
        for entry in run.entries {
            switch entry {
            case let .model(model):
                // Models without a screen run before a listener can be added, and show in the states of the screens.
                guard model.isScreen else { continue }
                let number = names.values.count { $0 == model.name || $0.hasPrefix(model.name + " ") } + 1
                names[model.model] = StateText.name(model.name, number: number)
                states[model.model] = ValueLines(model.state)
            case let .act(act, isBusy):
                let last = parts[parts.count - 1]
                if isBusy || !last.hasAnswered, act.replaces(last.act) {
                    parts[parts.count - 1] = Part(act: act)
                } else if isBusy, act == last.act {
                    parts[parts.count - 1].times += 1
                } else {
                    if !isBusy { finish() }
                    parts.append(Part(act: act))
                }
            case let .event(event):
                if event.source != "\(EventSource.sent)" { parts[parts.count - 1].hasAnswered = true }
                states[event.model] = states[event.model]?
                    .applying(.init(changed: event.changed, removed: event.removed))
            case .answer: break
            }
        }
        if !run.endsBusy { finish() }
        return parts
    }

    private func lines(of part: Part) -> [String] {
        func number(_ place: Int) -> String { place == 0 ? "" : ", number: \(place)" }
        var lines = [""]
        switch part.act {
        case let .uses(name, place):
            let times = part.times == 1 ? "" : ", times: \(part.times)"
            lines.append("try await person.uses(\(Self.literal(name))\(times)\(number(place)))")
        case let .types(text, name, place):
            lines.append(
                "try await person.types(\(Self.literal(text)), into: \(Self.literal(name))\(number(place)))")
        case nil: break
        }
        guard !part.lines.isEmpty else { return part.act == nil ? [] : lines }
        let marks = Self.marks(for: part.lines.joined(separator: "\n"))
        lines += ["await states.expect(", "    \(marks)\"\"\""]
        lines += part.lines.map { "    \($0)" }
        lines.append("    \"\"\"\(marks))")
        return lines
    }

    /// Returns true if the code uses a name. The test then declares it, and only then, so that no constant is unused.
    ///
    /// A regular expression's `\b` would not do: it takes `ids.next` for one word.
    private static func code(_ code: String, names name: String) -> Bool {
        code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == name }
    }

    // MARK: - Literals

    private static func literal(_ text: String) -> String { text.debugDescription }

    /// Returns the number signs that a literal of the text needs, so that nothing in the text is special.
    private static func marks(for text: String) -> String {
        var marks = "#"
        while text.contains("\"\"\"" + marks) || text.contains("\\" + marks) { marks += "#" }
        return marks
    }
}

extension ScreenStack.Act {
    /// Returns true if this edits the field that another act has edited, so that nothing of that edit is left.
    fileprivate func replaces(_ other: ScreenStack.Act?) -> Bool {
        guard case let .types(_, name, place) = self, case .types(_, name, place)? = other else { return false }
        return true
    }
}

extension Recording.Run {
    fileprivate var hasAnswers: Bool { entries.contains { if case .answer = $0 { true } else { false } } }
}
