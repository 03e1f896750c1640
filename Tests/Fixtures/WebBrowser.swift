import ChildProcesses
import Feedback
import Foundation
import Networking

/// A real browser, driven over WebDriver, which is HTTP and JSON.
public final class WebBrowser: Sendable {
    // The driver does not end on SIGTERM, so it is killed with its last reference.
    private let driver: ChildProcess
    private let backend: BackendSession
    private let session: String

    /// True if a browser and its driver are installed, or must be: with `FEEDBACK_BROWSER=required` tests fail without one.
    public static let isInstalled =
        ProcessInfo.processInfo.environment["FEEDBACK_BROWSER"] == "required"
        || ["chromium", "chromedriver"].allSatisfy { name in
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
        }

    private init(driver: ChildProcess, backend: BackendSession, session: String) {
        self.driver = driver
        self.backend = backend
        self.session = session
    }

    /// Opens a browser with a window of its own, uses it, and closes it.
    public static func use(
        width: Int = 1_200, height: Int = 900, isDark: Bool = false, _ body: (WebBrowser) async throws -> Void
    ) async throws {
        let browser = try await open(width: width, height: height, isDark: isDark)
        do {
            try await body(browser)
        } catch {
            try? await browser.close()
            throw error
        }
        try await browser.close()
    }

    // MARK: - Doing

    public func go(to url: URL) async throws {
        let _: Nothing = try await send("url", ["url": .text(url.absoluteString)])
    }

    public func goBack() async throws { let _: Nothing = try await send("back", [:]) }

    /// Runs a script, which returns a text.
    @discardableResult
    public func run(_ script: String) async throws -> String {
        let value: String? = try await send("execute/sync", ["script": .text(script), "args": .list([])])
        return value ?? ""
    }

    public func click(_ selector: String) async throws {
        let element = try await find(selector)
        let _: Nothing = try await send("element/\(element)/click", [:])
    }

    public func type(_ text: String, into selector: String) async throws {
        let element = try await find(selector)
        let _: Nothing = try await send("element/\(element)/value", ["text": .text(text)])
    }

    /// Presses keys where the focus is.
    public func press(_ keys: String) async throws {
        try await perform(keys.flatMap { [("keyDown", String($0)), ("keyUp", String($0))] })
    }

    /// Presses Tab together with Shift.
    public func pressBack(_ count: Int) async throws {
        let tabs = Array(repeating: [("keyDown", "\u{E004}"), ("keyUp", "\u{E004}")], count: count).flatMap { $0 }
        try await perform([("keyDown", "\u{E008}")] + tabs + [("keyUp", "\u{E008}")])
    }

    private func perform(_ keys: [(String, String)]) async throws {
        let actions = keys.map { JSONBody.object(["type": .text($0.0), "value": .text($0.1)]) }
        let keyboard = JSONBody.object(["type": .text("key"), "id": .text("keyboard"), "actions": .list(actions)])
        let _: Nothing = try await send("actions", ["actions": .list([keyboard])])
    }

    /// Selects all text in the field that has the focus.
    public func selectAll() async throws {
        try await perform([("keyDown", "\u{E009}"), ("keyDown", "a"), ("keyUp", "a"), ("keyUp", "\u{E009}")])
    }

    /// Shows the page as on a screen of this width, with this colour scheme, and to a reader who asks for less motion or not.
    public func emulate(
        width: Int, height: Int = 900, isDark: Bool = false, reducesMotion: Bool = false
    ) async throws {
        let size = JSONBody.object([
            "width": .number(width), "height": .number(height), "deviceScaleFactor": .number(1), "mobile": .flag(false),
        ])
        try await devTools("Emulation.setDeviceMetricsOverride", size)
        let scheme = JSONBody.object([
            "name": .text("prefers-color-scheme"), "value": .text(isDark ? "dark" : "light"),
        ])
        let motion = JSONBody.object([
            "name": .text("prefers-reduced-motion"), "value": .text(reducesMotion ? "reduce" : "no-preference"),
        ])
        try await devTools("Emulation.setEmulatedMedia", .object(["features": .list([scheme, motion])]))
    }

    private func devTools(_ command: String, _ parameters: JSONBody) async throws {
        let _: Nothing = try await send("goog/cdp/execute", ["cmd": .text(command), "params": parameters])
    }

    /// The picture of the window, as PNG.
    public func screenshot() async throws -> Data {
        let resource = BackendResource<Void, Answer<String>, NoAuth>(
            path: .api(.core, "/session/\(session)/screenshot"), method: .GET)
        return Data(base64Encoded: try await backend.access(resource).value().value) ?? Data()
    }

    /// The text of the page, as a person reads it.
    public var text: String {
        get async throws { try await run("return document.body.innerText") }
    }

    // MARK: - Machinery

    private func find(_ selector: String) async throws -> String {
        let found: [String: String] = try await send(
            "element", ["using": .text("css selector"), "value": .text(selector)])
        return found.values.first ?? ""
    }

    private func close() async throws {
        try await delete("")
        driver.kill(SIGKILL)
    }

    private func delete(_ path: String) async throws {
        let resource = BackendResource<Void, Void, NoAuth>(
            path: .api(.core, "/session/\(session)\(path)"), method: .DELETE)
        for try await _ in backend.access(resource).values {}
    }

    private func send<Value: Decodable & Sendable>(_ command: String, _ body: [String: JSONBody]) async throws -> Value
    {
        try await Self.post("/session/\(session)/\(command)", body, to: backend)
    }

    private static func post<Value: Decodable & Sendable>(
        _ path: String, _ body: [String: JSONBody], to backend: BackendSession
    ) async throws -> Value {
        let resource = BackendResource<JSONBody, Answer<Value>, NoAuth>(path: .api(.core, path), method: .POST)
        return try await backend.access(resource, with: .object(body)).value().value
    }

    private static func open(width: Int, height: Int, isDark: Bool) async throws -> WebBrowser {
        let (driver, port) = try await startDriver()
        // Longer than the browser looks for an element.
        let backend = BackendSession(environment: .local(port: port)) { $0.timeout = .seconds(240) }
        let options = JSONBody.object([
            "args": .list(
                [
                    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                    "--window-size=\(width),\(height)",
                ]
                .map { .text($0) } + (isDark ? [.text("--force-dark-mode")] : []))
        ])
        // An element may be looked for before the page has it, and a script may wait for a busy machine.
        let capabilities = JSONBody.object([
            "browserName": .text("chrome"), "goog:chromeOptions": options,
            "timeouts": .object(["implicit": .number(60_000), "script": .number(200_000)]),
        ])
        let created: Created = try await post(
            "/session", ["capabilities": .object(["alwaysMatch": capabilities])], to: backend)
        let browser = WebBrowser(driver: driver, backend: backend, session: created.sessionId)
        try await browser.useOwnTab()
        return browser
    }

    /// Uses a new tab instead of the first one: on a busy machine the empty page with which the driver starts the browser may come
    /// late, and take the place of another page that the first tab already shows.
    private func useOwnTab() async throws {
        let tab: Tab = try await send("window/new", ["type": .text("tab")])
        try await delete("/window")
        let _: Nothing = try await send("window", ["handle": .text(tab.handle)])
    }

    /// Starts a driver on a free port. The port that one has chosen may be taken before it listens: then another one starts.
    private static func startDriver() async throws -> (ChildProcess, port: UInt16) {
        for _ in 0..<20 {
            let driver = try ChildProcess("/usr/bin/chromedriver", ["--port=0"], errors: .null)
            do {
                return (driver, try await port(from: driver.output))
            } catch let failure as NoDriver {
                guard failure.output.contains("port not available") else { throw failure }
            }
        }
        throw NoDriver(output: "Twenty drivers in a row found no free port.")
    }

    /// Reads the port on which the driver listens: "… was started successfully on port 41023."
    private static func port(from output: PipeReader) async throws -> UInt16 {
        var text = ""
        while let line = await output.nextLine() {
            if let match = line.firstMatch(of: /successfully on port (\d+)\./), let port = UInt16(match.1) {
                return port
            }
            text += "\(line)\n"
        }
        throw NoDriver(output: text)
    }

    struct NoDriver: Error { let output: String }
    private struct Answer<Value: Decodable & Sendable>: Decodable, Sendable { let value: Value }
    private struct Created: Decodable, Sendable { let sessionId: String }
    private struct Tab: Decodable, Sendable { let handle: String }
    /// The answer to a command that returns no value.
    private struct Nothing: Decodable, Sendable { init(from decoder: any Decoder) {} }
}

/// A body of JSON that has no type of its own.
indirect enum JSONBody: Encodable, Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([JSONBody])
    case object([String: JSONBody])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case let .text(text): try container.encode(text)
        case let .number(number): try container.encode(number)
        case let .flag(flag): try container.encode(flag)
        case let .list(list): try container.encode(list)
        case let .object(object): try container.encode(object)
        }
    }
}
