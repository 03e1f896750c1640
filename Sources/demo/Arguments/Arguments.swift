import Foundation

/// The arguments of the demo.
struct Arguments: Equatable, Sendable {
    enum Command: Equatable, Sendable {
        case run, serve, showHelp, showVersion
    }

    var command = Command.run
    /// The names of the features to run; empty for all.
    var features: [String] = []
    var isInteractive = false
    /// `true` if the screens are shown in a web browser.
    var isWeb = false
    /// The file to record the run in.
    var record: URL?
    /// The recording to repeat.
    var replay: URL?
    /// The folder to write the recording to, as tests.
    var testFolder: URL?
    var baseURL: URL?
    var cannedFolder: URL?
    var database: URL?
    /// The address of the PostgreSQL database that the backend keeps data in.
    var databaseServer: String?
    /// `true` if other processes may serve at the same port.
    var sharesPort = false
    var failRate = 0.0
    var latency = Duration.zero
    var port: Int?
    var logsRequests = false
    /// `true` if the log contains the bodies too.
    var logsBodies = false
    /// The file to which events and changes of the state are written.
    var states: URL?
    var isVerbose = false
    /// A saved feed of quakes.
    var feed: URL?
    /// `true` if quakes come from the real service.
    var isLive = false
    /// `true` if the movies keep their changes in an outbox.
    var usesOutbox = false
    /// The first act of the person that is done without a network, the first of all being 1.
    var offlineAt: Int?
    /// The act with which the network comes back.
    var onlineAt: Int?

    /// The acts that are done without a network: ten, unless `onlineAt` is given.
    var offlineActs: Range<Int>? {
        offlineAt.map { $0..<max($0, onlineAt ?? $0 + 10) }
    }
}

extension Arguments {
    /// Reads the words after the program's name.
    static func parse(_ words: [String], features: [DemoFeature]) throws(ArgumentError) -> Arguments {
        var arguments = Arguments()
        var given: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                try arguments.take(word, features: features)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Option.all.first(where: { $0.names.contains(parts[0]) }) else {
                throw .unknownOption(parts[0], nearest: nearest(to: parts[0], in: Option.all.flatMap(\.names)))
            }
            given.append(option.name)
            switch (option.value, parts.count) {
            case (nil, 1):
                try option.apply(&arguments, "")
            case (nil, _):
                throw .unexpectedValue(option.name)
            case (_, 2):
                try option.apply(&arguments, parts[1])
            case (let value?, _):
                guard let next = rest.popFirst(), !next.hasPrefix("--"),
                    !Option.all.contains(where: { $0.names.contains(next) })
                else {
                    throw .missingValue(option.name, value)
                }
                try option.apply(&arguments, next)
            }
        }
        if arguments.command == .run || arguments.command == .serve {
            try arguments.check(given, features: features)
        }
        return arguments
    }

    private mutating func take(_ word: String, features: [DemoFeature]) throws(ArgumentError) {
        let names = features.map(\.name)
        if word == "help" {
            command = .showHelp
        } else if word == "serve" {
            command = command == .run ? .serve : command
        } else if names.contains(word) {
            if !self.features.contains(word) { self.features.append(word) }
        } else {
            throw .unknownFeature(word, nearest: nearest(to: word, in: names + ["serve"]), known: names)
        }
    }

    private func check(_ given: [String], features: [DemoFeature]) throws(ArgumentError) {
        if let option = Option.all.first(where: { given.contains($0.name) && !$0.commands.contains(command) }) {
            throw .misplacedOption(option.name, command == .serve ? "does not go with serve" : "goes with serve only")
        }
        if states != nil, !isInteractive { throw .misplacedOption("--states", "goes with --interactive only") }
        if given.contains("--port"), command == .run, !isWeb {
            throw .misplacedOption("--port", "goes with serve and --web only")
        }
        if isWeb, isInteractive { throw .contradiction("--interactive", "--web") }
        for other in ["--interactive", "--web", "--as-test"] where isVerbose && given.contains(other) {
            throw .contradiction(other, "--verbose")
        }
        if sharesPort, port == 0 {
            throw .misplacedOption("--share-port", "needs a port that other processes can name, not 0")
        }
        // A replay needs nothing but its recording. A recording cannot hold the earlier content of a database.
        let others = [
            "--record", "--interactive", "--base-url", "--canned", "--database", "--feed", "--live", "--fail",
            "--latency",
            "--log", "--log-bodies",
        ].filter(given.contains)
        if replay != nil, let other = others.first { throw .contradiction("--replay", other) }
        if replay != nil, let feature = self.features.first { throw .unneededFeature(feature) }
        if testFolder != nil, replay == nil { throw .misplacedOption("--as-test", "goes with --replay only") }
        if testFolder != nil, isWeb { throw .contradiction("--as-test", "--web") }
        if record != nil, database != nil { throw .contradiction("--record", "--database") }
        // The requests of an outbox depend on the time, and so do not come in the order of a recording.
        for other in ["--record", "--replay"] where usesOutbox && given.contains(other) {
            throw .contradiction(offlineAt == nil ? "--outbox" : "--offline-at", other)
        }
        let sources = ["--base-url", "--canned", "--live", "--feed"].filter(given.contains)
        if sources.count > 1 { throw .contradiction(sources[0], sources[1]) }
        let chosen = features.filter { self.features.isEmpty || self.features.contains($0.name) }
        for option in ["--live", "--feed"] where given.contains(option) && !chosen.contains(where: \.showsFeeds) {
            throw .nothingToFeed(option, chosen.map(\.name))
        }
        if usesOutbox, !chosen.contains(where: \.canUseOutbox) {
            throw .misplacedOption(offlineAt == nil ? "--outbox" : "--offline-at", "goes with movies only")
        }
        try checkNetwork(given)
        try checkFiles()
        if databaseServer != nil, command == .run {
            throw .misplacedOption("--database", "takes the address of a PostgreSQL server only with serve")
        }
        if database != nil || databaseServer != nil {
            guard chosen.contains(where: { command == .serve ? $0.servesKeptData : $0.keepsData }) else {
                throw .nothingToKeep(chosen.map(\.name))
            }
        }
    }
}

extension Arguments {
    /// Checks the acts that are done without a network. Only the network of a backend on this machine can be cut.
    private func checkNetwork(_ given: [String]) throws(ArgumentError) {
        guard let offlineAt else {
            if onlineAt != nil { throw .misplacedOption("--online-at", "goes with --offline-at only") }
            return
        }
        if let other = ["--base-url", "--canned"].first(where: given.contains) {
            throw .contradiction("--offline-at", other)
        }
        if let onlineAt, onlineAt <= offlineAt {
            throw .badValue(
                "--online-at", "\(onlineAt)", "a step after that of --offline-at, such as \(offlineAt + 10)")
        }
    }

    /// Checks that no file that is written is also used for something else.
    private func checkFiles() throws(ArgumentError) {
        let files: [(option: String, places: [FilePlace]?, isWritten: Bool)] = [
            ("--database", database.map(FilePlace.ofDatabase), true), ("--feed", feed.map { [FilePlace($0)] }, false),
            ("--states", states.map { [FilePlace($0)] }, true), ("--record", record.map { [FilePlace($0)] }, true),
        ]
        let given = files.compactMap { file in
            file.places.map { (option: file.option, places: $0, isWritten: file.isWritten) }
        }
        let folder = cannedFolder.map { FilePlace($0) }
        for (index, one) in given.enumerated() {
            for other in given[(index + 1)...] where one.isWritten || other.isWritten {
                if one.places.contains(where: { other.places.contains(where: $0.isSame) }) {
                    throw .sameFile(one.option, other.option)
                }
            }
            if one.isWritten, let folder, one.places.contains(where: { $0.parts.starts(with: folder.parts) }) {
                throw .misplacedOption(one.option, "needs a file outside of the folder of --canned")
            }
        }
    }
}

/// The facts about a feature that the command line needs.
struct DemoFeature: Equatable, Sendable {
    let name: String
    let summary: String
    /// `true` if it can use `--database`.
    var keepsData = false
    /// `true` if its backend can use `--database`.
    var servesKeptData = false
    /// `true` if it can use `--feed` and `--live`.
    var showsFeeds = false
    /// `true` if it can use `--outbox`.
    var canUseOutbox = false
    /// The port at which its clients expect its backend, if that is served alone.
    var port: Int?
}
