import Foundation
import LocalBackend
import Presentation

/// Shows screens in a web browser. Each browser has a stack of screens of its own, which all of its tabs show.
///
/// ```swift
/// let display = BrowserDisplay(title: "Cities") { screens in
///     CitiesFlowController(CitiesBuilder(materials), on: screens)
/// }
/// display.serve(on: backend)
/// let address = try await backend.start()
/// print(display.address(on: address))
/// ```
///
/// The page is opened by an address that holds a secret, so other programs and other users of the machine cannot use
/// it. The renderers of the screens are the same as for a terminal.
public final class BrowserDisplay: Sendable {
    let title: String
    let downloads: [BrowserDownload]
    let heartbeat: Duration
    private let isReadOnly: Bool
    private let isInspected: Bool
    private let secret: Secret
    private let sessions: SessionRegistry

    /// Makes a display.
    ///
    /// - Parameters:
    ///   - title: The name of the page.
    ///   - secret: The secret in the page's address. Browsers that were connected to a server with the same secret
    ///     connect again to this one. It must not be empty. By default it is random, and only `address(on:)` shows it.
    ///   - maximumSessions: The number of browsers that can use the screens at once. With one more, the browser that
    ///     was not used for the longest time loses its screens.
    ///   - heartbeat: The time after which a page that nothing is sent to is told that its connection lasts. One that
    ///     hears nothing for three times as long connects again.
    ///   - isInspected: `true` if the page `/inspector` shows what happens in the loops of the browser's screens.
    ///   - isReadOnly: `true` if the screens can only be watched, as when a recording is played on them.
    ///   - downloads: The files that the inspector offers.
    ///   - makeFlow: Makes the flow that a browser goes through. The display starts it.
    public init(
        title: String, secret: String? = nil, maximumSessions: Int = 32, heartbeat: Duration = .seconds(10),
        isInspected: Bool = false, isReadOnly: Bool = false, downloads: [BrowserDownload] = [],
        makeFlow: @escaping @Sendable (ScreenStack) -> any FlowController
    ) {
        precondition(secret?.isEmpty != true, "An empty secret protects nothing. Give a longer one, or none.")
        precondition(heartbeat > .zero, "A heartbeat needs a time greater than zero.")
        self.title = title
        // A browser counts the milliseconds of a timer in 32 bits.
        self.heartbeat = min(heartbeat, .seconds(3_600))
        self.secret = secret.map { Secret($0) } ?? Secret()
        let server = Secret().text
        self.isInspected = isInspected
        self.isReadOnly = isReadOnly
        self.downloads = downloads
        sessions = SessionRegistry(maximum: maximumSessions) {
            BrowserSession(server: server, isInspected: isInspected, start: makeFlow)
        }
    }

    /// The address that opens the page.
    ///
    /// - Parameter server: The address of the server that serves the display.
    public func address(on server: URL) -> URL {
        var parts = URLComponents(url: server.appending(path: "/"), resolvingAgainstBaseURL: true)
        parts?.percentEncodedQuery = "key=\(secret.encoded)"
        return parts?.url ?? server
    }

    /// Adds the routes of the page to a server.
    public func serve(on backend: LocalBackend) {
        backend.get("/") { [self] request in try page(request) }
        backend.get("/browser/style.css") { _ in Self.file(PackageResources.style_css, "text/css; charset=utf-8") }
        backend.get("/browser/events.js") { _ in
            Self.file(PackageResources.events_js, "text/javascript; charset=utf-8")
        }
        backend.get("/browser/script.js") { _ in
            Self.file(PackageResources.script_js, "text/javascript; charset=utf-8")
        }
        backend.get("/browser/events") { [self] request in
            let session = try session(of: request)
            return .events(headers: Self.headers) { [heartbeat] events in
                try await session.show(to: events, heartbeat: heartbeat)
            }
        }
        backend.post("/browser/actions") { [self] request in
            let session = try session(of: request)
            guard request.isSameOrigin else {
                throw LocalBackend.Refusal(403, "Only the page itself can send actions.")
            }
            if isReadOnly { throw LocalBackend.Refusal(403, "These screens can be watched, but not used.") }
            guard request.body.count <= Self.maximumBody else {
                throw LocalBackend.Refusal(413, "An action has at most \(Self.maximumBody) bytes.")
            }
            try await session.act(request.decode())
            return .status(204, headers: Self.headers)
        }
        if isInspected { serveInspector(on: backend) }
    }

    /// The largest action, in bytes: the longest text of a field, escaped.
    private static let maximumBody = 6 * BrowserSession.maximumText + 1_024
}

// MARK: - Pages

extension BrowserDisplay {
    /// Returns the page to a browser that is known, and a redirect to one that has the key: with a new session unless
    /// the browser has one. A recording is played from its beginning each time that the address is opened.
    private func page(_ request: LocalBackend.Request) throws -> LocalBackend.Response {
        if let key = request.query["key"] {
            guard secret.equals(key) else { throw Self.refusal }
            // The redirect takes the key out of the address bar and the history.
            var response = LocalBackend.Response.redirect(to: "/", status: 303)
            if isReadOnly || sessionID(of: request) == nil {
                response.headers.add(
                    "Set-Cookie",
                    "\(cookieName(request))=\(Secret().text).\(secret.encoded); Path=/; HttpOnly; SameSite=Lax")
            }
            response.headers.add("Cache-Control", "no-store")
            return response
        }
        _ = try session(of: request)
        return Self.document(title, folders: ["browser"], body: body)
    }

    private var body: String {
        """
        <body\(silence)>
        \(Self.lostConnection)
        \(isReadOnly ? "<p id=\"watching\" role=\"note\">A recording is played. It can be watched, but not used.</p>" : "")
        <main id="screen" aria-busy="true"\(isReadOnly ? " inert" : "")><article><h1>\(title.escapedForHTML)</h1></article></main>
        <div id="announcer" role="status" aria-live="polite"></div>
        \(isInspected ? "<a id=\"inspect\" href=\"/inspector\" target=\"_blank\">Inspector</a>" : "")
        <noscript>This page needs JavaScript.</noscript>
        </body>
        """
    }

    static let lostConnection =
        "<div id=\"connection\" role=\"status\" hidden>The connection is lost. Trying again …</div>"

    /// The attribute that tells a page how long the server is silent at most, in milliseconds.
    var silence: String { " data-silence=\"\(Int(heartbeat * 3 / .milliseconds(1)))\"" }

    /// Returns a page with the styles in some folders, and the script in the last of them.
    static func document(_ title: String, folders: [String], body: String) -> LocalBackend.Response {
        let styles = folders.map { "<link rel=\"stylesheet\" href=\"/\($0)/style.css\">" }.joined(separator: "\n")
        let document = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title.escapedForHTML)</title>
            \(styles)
            <link rel="icon" href="data:,">
            <script src="/browser/events.js" defer></script>
            <script src="/\(folders.last ?? "")/script.js" defer></script>
            </head>
            \(body)
            </html>
            """
        return file(document.utf8, "text/html; charset=utf-8")
    }

    static func file(_ bytes: some Collection<UInt8>, _ contentType: String) -> LocalBackend.Response {
        .data(Data(bytes), contentType: contentType, headers: headers)
    }

    static let headers: LocalBackend.Headers = [
        "Cache-Control": "no-store",
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]
}

// MARK: - Who may use it

extension BrowserDisplay {
    private static let refusal = LocalBackend.Refusal(
        403, "Open this page by the address that the program printed. Copy all of it, with its key.")

    /// Returns the session of the browser's cookie.
    func session(of request: LocalBackend.Request) throws(LocalBackend.Refusal) -> BrowserSession {
        guard let id = sessionID(of: request) else { throw Self.refusal }
        return sessions.session(id)
    }

    /// Returns the id in the browser's cookie. The cookie holds the secret too, so that a browser is known after a
    /// restart.
    private func sessionID(of request: LocalBackend.Request) -> String? {
        let name = cookieName(request)
        for cookie in request.headers.values(of: "Cookie").flatMap({ $0.split(separator: ";") }) {
            // All signs that could be a separator are percent-encoded in the secret.
            let parts = cookie.drop { $0 == " " }.split(separator: "=")
            guard parts.count == 2, parts[0] == name else { continue }
            let values = parts[1].split(separator: ".")
            guard values.count == 2, let key = values[1].removingPercentEncoding, secret.equals(key) else { continue }
            return String(values[0].prefix(64))
        }
        return nil
    }

    /// The name of the cookie. It has the port in it, because cookies do not distinguish ports.
    private func cookieName(_ request: LocalBackend.Request) -> String {
        let port = request.headers["Host"]?.split(separator: ":").last.flatMap { Int($0) } ?? 80
        return "screens-\(port)"
    }
}
