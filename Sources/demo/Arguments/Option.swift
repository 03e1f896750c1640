import Foundation

/// An option of the command line. One table holds all options; it serves the parser, the suggestions for misspelled
/// ones, and the help.
struct Option: Sendable {
    let name: String
    var short: String?
    /// The placeholder of its value in the help; `nil` if it takes none.
    var value: String?
    let summary: String
    var commands: Set<Arguments.Command> = [.run]
    let apply: @Sendable (inout Arguments, String) throws(ArgumentError) -> Void

    var names: [String] { [name] + (short.map { [$0] } ?? []) }

    static let all: [Option] = [
        Option(name: "--interactive", short: "-i", summary: "use the features yourself, with the keyboard") {
            arguments, _ in arguments.isInteractive = true
        },
        Option(name: "--web", summary: "use the features in a web browser, at the address that is printed") {
            arguments, _ in arguments.isWeb = true
        },
        .file("--record", "record the run: acts, answers and states, secrets redacted", \.record),
        .file("--replay", "repeat a recording without a network, with --web to watch it", \.replay),
        .folder("--as-test", "write the recording of --replay as a test, in Swift", \.testFolder),
        Option(name: "--base-url", value: "URL", summary: "talk to a backend elsewhere") {
            arguments, text throws(ArgumentError) in
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
                url.user() == nil, url.password() == nil
            else {
                // A password must not be printed, nor get into a recording with the address.
                throw text.contains("@")
                    ? .misplacedOption("--base-url", "takes a URL without a name and password")
                    : .badValue("--base-url", text, "an http or https URL, such as http://127.0.0.1:8080")
            }
            arguments.baseURL = url
        },
        .folder("--canned", "answer requests from a folder of canned responses", \.cannedFolder),
        Option(
            name: "--database", value: "FILE",
            summary: "keep data here, where a feature keeps data; with serve also postgresql://USER@HOST/NAME",
            commands: [.run, .serve]
        ) { arguments, text throws(ArgumentError) in
            if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
                (arguments.database, arguments.databaseServer) = (nil, text)
            } else {
                arguments.database = try url(text, of: "--database", needed: "the path of a file")
                arguments.databaseServer = nil
            }
        },
        .file("--feed", "show the quakes of a saved GeoJSON feed", commands: [.run, .serve], \.feed),
        Option(name: "--outbox", summary: "let movies be changed without a network, and send the changes later") {
            arguments, _ in arguments.usesOutbox = true
        },
        Option(
            name: "--offline-at", value: "STEP",
            summary: "cut the movies' network at this act of the person, with an outbox"
        ) { arguments, text throws(ArgumentError) in
            arguments.offlineAt = try step(text, of: "--offline-at")
            arguments.usesOutbox = true
        },
        Option(
            name: "--online-at", value: "STEP", summary: "bring the network back at this act, not ten acts later"
        ) { arguments, text throws(ArgumentError) in
            arguments.onlineAt = try step(text, of: "--online-at")
        },
        Option(name: "--live", summary: "fetch quakes from https://earthquake.usgs.gov") {
            arguments, _ in arguments.isLive = true
        },
        Option(
            name: "--fail", value: "RATE", summary: "let this share of the requests fail, from 0 to 1",
            commands: [.run, .serve]
        ) { arguments, text throws(ArgumentError) in
            guard let rate = Double(text), 0...1 ~= rate else {
                throw .badValue("--fail", text, "a share from 0 to 1, such as 0.3")
            }
            arguments.failRate = rate
        },
        Option(
            name: "--latency", value: "MS", summary: "delay each answer by so many milliseconds",
            commands: [.run, .serve]
        ) { arguments, text throws(ArgumentError) in
            guard let milliseconds = Int(text), 0...60_000 ~= milliseconds else {
                throw .badValue("--latency", text, "a number of milliseconds up to 60000, such as 50")
            }
            arguments.latency = .milliseconds(milliseconds)
        },
        Option(
            name: "--port", value: "N", summary: "the port to serve on; without it the feature's own, or any free one",
            commands: [.run, .serve]
        ) {
            arguments, text throws(ArgumentError) in
            guard let port = Int(text), 0...65_535 ~= port else {
                throw .badValue("--port", text, "a port from 0 to 65535, such as 8080")
            }
            arguments.port = port
        },
        Option(
            name: "--share-port", summary: "let several servers have one port; each gets a part of the connections",
            commands: [.serve]
        ) { arguments, _ in arguments.sharesPort = true },
        Option(name: "--log", summary: "print each request, secrets redacted", commands: [.run, .serve]) {
            arguments, _ in arguments.logsRequests = true
        },
        Option(name: "--log-bodies", summary: "print each request with its bodies", commands: [.run, .serve]) {
            arguments, _ in (arguments.logsRequests, arguments.logsBodies) = (true, true)
        },
        .file("--states", "write each event and what it changes here, with -i", \.states),
        Option(name: "--verbose", summary: "print whole screens, not only the lines that change") {
            arguments, _ in arguments.isVerbose = true
        },
        Option(name: "--help", short: "-h", summary: "print this", commands: [.run, .serve]) {
            arguments, _ in arguments.command = .showHelp
        },
        Option(name: "--version", summary: "print the version", commands: [.run, .serve]) {
            arguments, _ in if arguments.command != .showHelp { arguments.command = .showVersion }
        },
    ]

    private static func step(_ text: String, of option: String) throws(ArgumentError) -> Int {
        guard let step = Int(text), 1...1_000_000 ~= step else {
            throw .badValue(option, text, "the number of an act, from 1, such as 8")
        }
        return step
    }

    private typealias Place = WritableKeyPath<Arguments, URL?> & Sendable

    /// An option whose value is the path of a file.
    private static func file(
        _ name: String, _ summary: String, commands: Set<Arguments.Command> = [.run], _ place: Place
    ) -> Option {
        Option(name: name, value: "FILE", summary: summary, commands: commands) {
            arguments, text throws(ArgumentError) in
            arguments[keyPath: place] = try url(text, of: name, needed: "the path of a file")
        }
    }

    /// An option whose value is the path of a folder.
    private static func folder(_ name: String, _ summary: String, _ place: Place) -> Option {
        Option(name: name, value: "DIR", summary: summary) { arguments, text throws(ArgumentError) in
            arguments[keyPath: place] = try url(text, of: name, needed: "the path of a folder")
        }
    }

    private static func url(_ text: String, of option: String, needed: String) throws(ArgumentError) -> URL {
        guard !text.isEmpty else { throw .badValue(option, text, needed) }
        return URL(filePath: text)
    }
}
