import LocalBackend
import Presentation

/// The routes of the inspector: a page that shows all that happens in the loops of a browser's session.
extension BrowserDisplay {
    func serveInspector(on backend: LocalBackend) {
        backend.get("/inspector") { [self] request in
            _ = try history(of: request)
            return Self.document("Inspector: \(title)", folders: ["browser", "inspector"], body: inspectorBody)
        }
        backend.get("/inspector/style.css") { _ in
            Self.file(PackageResources.inspector_css, "text/css; charset=utf-8")
        }
        backend.get("/inspector/script.js") { _ in
            Self.file(PackageResources.inspector_js, "text/javascript; charset=utf-8")
        }
        backend.get("/inspector/events") { [self] request in
            let history = try history(of: request)
            return .events(headers: Self.headers) { [heartbeat] events in
                try await Self.send(history, to: events, heartbeat: heartbeat)
            }
        }
        backend.get("/inspector/moments/:number") { [self] request in
            let history = try history(of: request)
            guard let json = InspectorMessages.moment(try request.parameter("number"), of: history.current) else {
                throw LocalBackend.Refusal(404, "This moment is no longer kept.")
            }
            return Self.file(json.utf8, "application/json")
        }
        for (index, download) in downloads.enumerated() {
            backend.get("/inspector/downloads/\(index)") { [self] request in
                try download.response(for: session(of: request).screens, headers: Self.headers)
            }
        }
    }

    private func history(of request: LocalBackend.Request) throws(LocalBackend.Refusal) -> StepHistory {
        guard let history = try session(of: request).history else {
            throw .init(404, "This display has no inspector.")
        }
        return history
    }

    /// Sends all moments so far, and then each new one, until the browser disconnects.
    private static func send(
        _ history: StepHistory, to events: LocalBackend.EventWriter, heartbeat: Duration
    ) async throws {
        var (next, models, dropped) = (0, 0, 0)
        var hasBegun = false
        for await isBeat in history.changes.producer.withBeats(every: heartbeat) {
            // A beat may have taken the place of a change.
            var isQuiet = isBeat
            // The first message comes also if nothing has happened.
            while next < history.end || !hasBegun {
                hasBegun = true
                let contents = history.current
                let (json, following) = InspectorMessages.moments(
                    of: contents, from: next, models: models, dropped: dropped)
                (models, dropped) = (contents.modelCount, contents.dropped)
                try await events.send(.init(json, name: "moments"))
                isQuiet = false
                if following <= next { break }
                next = following
            }
            if isQuiet { try await events.send(.beat) }
            // Moments that come shortly after each other are sent in one message.
            try await Task.sleep(for: .milliseconds(30))
        }
    }

    private var downloadLinks: String {
        downloads.enumerated().map { index, download in
            "<a class=\"download\" href=\"/inspector/downloads/\(index)\" download>\(download.title.escapedForHTML)</a>"
        }.joined(separator: "\n")
    }

    private var inspectorBody: String {
        """
        <body class="inspector"\(silence)>
        \(Self.lostConnection)
        <header>
        <h1>Inspector</h1>
        <label for="filter">Filter</label>
        <input id="filter" type="search" placeholder="Events, sources, loops" autocomplete="off">
        <button id="live" type="button" aria-pressed="true">Live</button>
        <div id="zoom" role="group" aria-label="Zoom"><button id="closer" type="button" aria-label="Zoom in">+</button>
        <button id="farther" type="button" aria-label="Zoom out">−</button>
        <button id="whole" type="button">All</button></div>
        <span id="count" role="status"></span>
        \(downloadLinks)
        <a href="/">Screens</a>
        </header>
        <section id="timeline" aria-label="Timeline">
        <div id="lanes"><div id="extent"></div><canvas id="marbles"></canvas></div>
        </section>
        <section id="list" aria-label="Steps" tabindex="0" role="listbox"><div id="rows"></div></section>
        <section id="detail" aria-label="Selected step">
        <h2 id="what">No step is selected</h2>
        <dl id="facts"></dl>
        <h2>State</h2>
        <ul id="state" class="tree"></ul>
        </section>
        <section id="then" aria-label="The screen at this step"><h2>Screen</h2><div id="screen" inert></div></section>
        </body>
        """
    }
}
