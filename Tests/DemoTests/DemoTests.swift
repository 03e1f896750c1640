import ChildProcesses
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The demo as it is run from a shell.
struct DemoTests {
    @Test("Without arguments every flow is driven to its end, and counted")
    func scripted() async throws {
        let run = try await demo()
        #expect(run.code == 0)
        #expect(run.output.contains("1. The person uses \"Refresh\""))
        #expect(run.output.contains("event   .didLoad(CitiesResponse(cities: 4 elements))"))
        #expect(run.output.contains("state   form.recipient: \"\" → \"Sherlock Holmes\""))
        #expect(run.output.contains("│ ✓ Your delivery is on its way."))
        let summary = /\d+ features?, \d+ steps, \d+ events, \d+ requests, 0 retries, [0-9.]+ s\./
        #expect(run.output.contains(summary))
        #expect(run.output.hasSuffix("Every flow has reached its end.\n"))
        #expect(run.errors.isEmpty)
    }

    @Test("Of a screen that was printed only the changed lines are printed again, unless all are asked for")
    func verbosity() async throws {
        let run = try await demo("cities")
        let verbose = try await demo("cities", "--verbose")
        let count = { (run: Run) in run.output.split(separator: "\n").count { $0.contains("│   ○ Zürich") } }
        #expect(count(run) < count(verbose))
        #expect(verbose.output.contains("Every flow has reached its end."))
    }

    @Test("Output to a pipe has no control sequences, and no line is wider than 80")
    func piped() async throws {
        let run = try await demo("cities")
        #expect(!run.output.contains("\u{1B}"))
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("On a bad network errors show, are tried again, and the flow still reaches its end")
    func badNetwork() async throws {
        let run = try await demo("cities", "--fail", "0.3", "--latency", "50")
        #expect(run.code == 0)
        #expect(run.output.contains("│ ✗ The connection to"))
        #expect(run.output.contains("│ ✗ The server answered"))
        #expect(run.output.contains("The person uses \"Try again\""))
        #expect(run.output.contains("attempt 2"))
        #expect(run.output.contains("Every flow has reached its end."))
    }

    @Test("The movies go on without the network, and with a bad one, and are kept in a file")
    func movies() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path()
        let run = try await demo("movies", "--database", file)
        #expect(run.code == 0)
        #expect(run.output.contains("This is the copy on this machine, as it was on"))
        #expect(FileManager.default.fileExists(atPath: file))
        try FileManager.default.removeItem(atPath: file)

        try Data("This is no database, and long enough to be seen as none.".utf8).write(to: URL(filePath: file))
        let damaged = try await demo("movies", "--database", file)
        #expect(damaged.code == 1)
        #expect(damaged.errors.contains("is damaged, or is not a SQLite database"))
        try FileManager.default.removeItem(atPath: file)

        let bad = try await demo("movies", "--fail", "0.3", "--latency", "50")
        #expect(bad.code == 0)
        #expect(bad.output.contains("The store cannot be reached"))
    }

    @Test("The network is cut at an act of the person, and the changes that wait are sent when it is back")
    func networkCut() async throws {
        let run = try await demo("movies", "--offline-at", "4", "--online-at", "1000")
        #expect(run.code == 0, "\(run.output.suffix(1_000))")
        let parts = run.output.split(separator: "is saved.", maxSplits: 1)
        #expect(parts.count == 2)
        #expect(parts.first?.contains("This is the copy on this machine") == true)
        #expect(run.output.contains("to be sent"))

        // The script itself waits for the network before it ends, so that any act will do.
        let early = try await demo("movies", "--offline-at", "1")
        #expect(early.code == 0, "\(early.output.suffix(1_000))")
    }

    @Test("Movies that are changed without the network outlive the program, and are sent when the network is back")
    func outbox() async throws {
        let run = try await demo("movies", "--outbox")
        #expect(run.code == 0, "\(run.output.suffix(1_000))")
        #expect(run.output.contains("3 changes to be sent"))
        #expect(run.output.contains("The server has refused a change: update budget:"))
        #expect(try await demo("movies", "--outbox", "--record", "a.json").code == 64)
        #expect(try await demo("cities", "--outbox").errors.contains("--outbox goes with movies only."))
    }

    @Test("The timeline makes a favourite, and is there at the next launch if its cache is kept in a file")
    func timeline() async throws {
        let run = try await demo("timeline")
        #expect(run.code == 0)
        #expect(run.output.contains("│   Unfavourite ("))
        #expect(run.output.contains("The person uses \"Load what is missing here\""))

        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path()
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
        for launch in 1...3 {
            let run = try await demo("timeline", "--database", file)
            #expect(run.code == 0)
            // Before the first answer of the server.
            let first = run.output.split(separator: "   event").first ?? ""
            #expect(first.contains("Favourite “") == (launch > 1))
        }
    }

    @Test("The quakes of a saved feed are shown on their day, on the map and in the list")
    func savedFeed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).geojson")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(
            """
            {"features": [
              {"id": "us1", "properties": {"mag": 4.5, "place": "8 km W of San José, Costa Rica",
                "time": 1000000000000, "updated": 1000000060000}, "geometry": {"coordinates": [-84.2, 9.9, 10]}},
              {"id": "us2", "properties": {}}
            ]}
            """.utf8
        ).write(to: file)
        let run = try await demo("quakes", "--feed", file.path())
        #expect(run.code == 0)
        #expect(run.output.contains("○ 8 km W of San José, Costa Rica"))
        #expect(run.output.contains("M 4.5"))
        #expect(run.output.contains("! 1 quake of the feed could not be read."))
        #expect(run.output.contains("⣇"))
        #expect(run.output.contains("event   .didDelete(.quake(\"us1\"))"))
    }

    @Test("A flow that does not reach its end gives the reason, and code 1")
    func broken() async throws {
        let run = try await demo("cities", "--fail", "1")
        #expect(run.code == 1)
        #expect(
            run.errors.contains("cities did not reach its end: The screen shows an error after trying again 25 times"))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.output.contains("The screen is:"))
        #expect(run.output.contains("Not at its end: cities."))
    }

    @Test("A backend that cannot be reached is reported")
    func unreachable() async throws {
        let run = try await demo("cities", "--base-url", "http://127.0.0.1:1")
        #expect(run.code == 1)
        #expect(run.errors.contains("http://127.0.0.1:1/v1/cities does not accept connections"))
    }

    @Test("Requests are printed without secrets")
    func log() async throws {
        let run = try await demo("cities", "--log")
        #expect(run.code == 0)
        #expect(run.output.contains("→ GET http://127.0.0.1:"))
        #expect(run.output.contains("Authorization: <redacted>"))
        #expect(!run.output.contains("Bearer demo"))
        #expect(!run.output.contains("\"cities\": ["))
        let withBodies = try await demo("cities", "--log-bodies")
        #expect(withBodies.output.contains("→ GET http://127.0.0.1:") && withBodies.output.contains("\"cities\": ["))
    }

    @Test("Files that cannot be used are told from each other, in one line that says what to do")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        let text = folder.appending(path: "text.txt").path(percentEncoded: false)
        try Data("This is text.".utf8).write(to: URL(filePath: text))
        let cases: [([String], String)] = [
            (["movies", "--database", path], "is a folder, but --database needs a file."),
            (["movies", "--database", "\(path)/none/a.sqlite"], "There is no folder"),
            (["movies", "--database", text], "is damaged, or is not a SQLite database."),
            (["--canned", "/there/is/no/such/folder"], "There is no folder of canned answers at /there/is/no"),
            (["--canned", text], "is a file, but --canned needs a folder."),
            (["--canned", path], "has no canned answers"),
            (["quakes", "--feed", "\(path)/none"], "There is no file"),
            (["quakes", "--feed", path], "is a folder, but --feed needs a file."),
            (["quakes", "--feed", text], "is not a GeoJSON feed of quakes."),
            (["cities", "--record", path], "is a folder, but --record needs a file."),
            (["cities", "--record", "\(path)/none/a.json"], "There is no folder"),
            (["--replay", path], "is a folder, but --replay needs a file."),
            (["--replay", "\(path)/none.json"], "There is no file"),
            (["--replay", text], "The file is not a recording."),
            (["--replay", text, "--as-test", text], "is a file, but --as-test needs a folder."),
        ]
        for (words, message) in cases {
            let run = try await demo(words)
            #expect(run.code == 1)
            #expect(run.output.isEmpty)
            #expect(run.errors.hasPrefix("demo: ") && run.errors.contains(message), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
        }
    }

    #if os(Linux)
    @Test("An output that is full ends the run with an error", arguments: [["cities"], ["cities", "--interactive"]])
    func fullDisk(words: [String]) async throws {
        let running = try Running(words, keys: "", output: .file("/dev/full"))
        #expect(await running.end() != .exit(0))
        #expect(running.errors.contains("The output cannot be written: No space left on device."))
    }

    @Test("An error that cannot be written does not change how the run ends")
    func fullErrors() async throws {
        let full = ChildProcess.Stream.file("/dev/full")
        #expect(try await Running(["bogus"], errors: full).end() == .exit(64))
        #expect(try await Running(["--help"], output: full, errors: full).end() == .exit(74))
    }

    @Test("A disk that is full keeps a recording and the states from being written, which is an error that says so")
    func fullFiles() async throws {
        // By a link, since a device of this machine must not be replaced.
        let link = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: "/dev/full"))
        defer { try? FileManager.default.removeItem(at: link) }
        for words in [["--record", link.path()], ["--interactive", "--states", link.path()]] {
            let run = try await demo(["cities"] + words, keys: "\u{1B}")
            #expect(run.code == 1)
            #expect(run.errors.contains("could not be written to \(link.path()): No space left on device. Free some"))
            #expect(run.errors.split(separator: "\n").count == 1)
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path()) == "/dev/full")
    }
    #endif

    @Test("Canned responses answer the same flow")
    func canned() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../CannedResponses/Cities")
        let run = try await demo("cities", "--canned", folder.standardized.path())
        #expect(run.code == 0)
        #expect(run.output.contains("Every flow has reached its end."))

    }

    @Test(
        "Wrong arguments get one line on the standard error, and code 64", arguments: ["--fial", "citis", "--port=1"])
    func wrongArguments(word: String) async throws {
        let run = try await demo(word)
        #expect(run.code == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("demo: ") && run.errors.split(separator: "\n").count == 1)
    }

    @Test("Help and version are printed")
    func help() async throws {
        #expect(try await demo("--help").output.contains("usage: demo"))
        #expect(try await demo("help").output.contains("usage: demo"))
        #expect(try await demo("--version").output.hasPrefix("demo "))
    }

    @Test("Served alone, the backend answers other clients until it is interrupted")
    func serving() async throws {
        let serving = try Running("serve", "--log-bodies")
        let url = try await serving.address()
        let (data, _) = try await URLSession.shared.data(from: url.appending(path: "/v1/cities"))
        #expect(String(decoding: data, as: UTF8.self).contains("London"))
        let (routes, _) = try await URLSession.shared.data(from: url)
        #expect(String(decoding: routes, as: UTF8.self).contains("GET /v1/cities\n"))
        let elsewhere = try await demo("cities", "--base-url", url.absoluteString)
        #expect(elsewhere.code == 0)
        serving.process.kill(SIGINT)
        #expect(await serving.end() == .exit(0))
        #expect(serving.output.contains("GET /v1/cities → 200 ("))
        #expect(serving.output.contains("  ←   \"cities\": ["))
    }

    @Test(
        "A signal right after the address is printed is not missed",
        arguments: [["serve", "cities"], ["cities", "--web"]])
    func earlySignal(_ arguments: [String]) async throws {
        let process = try ChildProcess(builtProgram("demo"), arguments)
        while let line = process.output.line(), !line.contains("until Ctrl-C"), !line.contains("Ctrl-C ends it") {}
        process.kill(SIGTERM)
        #expect(await process.end() == .exit(0))
    }

    @Test("A port that is taken is named")
    func takenPort() async throws {
        let serving = try Running("serve", "cities")
        let port = try #require(try await serving.address().port)
        let other = try await demo("serve", "cities", "--port", "\(port)")
        #expect(other.code == 1)
        #expect(other.errors.contains("Port \(port) is in use") && other.errors.split(separator: "\n").count == 1)
        serving.process.kill(SIGINT)
        #expect(await serving.end() == .exit(0))
    }

    @Test("The animals' script does the same on both stores, also on a bad network")
    func animals() async throws {
        let run = try await demo("animals", "--fail", "0.3", "--latency", "20")
        #expect(run.code == 0)
        #expect(run.output.contains("The person uses \"On this machine\""))
        #expect(run.output.contains("The person uses \"On the server\""))
        #expect(run.output.contains("The person uses \"Try again\""))
        #expect(run.output.hasSuffix("Every flow has reached its end.\n"))
    }

    @Test("Changes that the animals' backend has confirmed survive a kill")
    func killing() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "animals-\(UUID().uuidString).sqlite")
            .path(percentEncoded: false)
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
        for round in 1...3 {
            let serving = try Running("serve", "animals", "--port", "0", "--database", file)
            let url = try await serving.address()
            let name = "Survivor \(round)"
            _ = try await askAnimals(
                #"{"mutation":[{"addAnimal":{"name":"\#(name)","diet":"Omnivore","categoryId":"Mammal"}}]}"#, at: url)
            serving.process.kill(SIGKILL)
            #expect(await serving.end() == .signal(SIGKILL))

            let reborn = try Running("serve", "animals", "--port", "0", "--database", file)
            let answer = try await askAnimals(#"{"query":[{"animals":{}}]}"#, at: await reborn.address())
            #expect(answer.contains(name) && answer.contains("Survivor 1"))
            reborn.process.kill(SIGINT)
            #expect(await reborn.end() == .exit(0))
        }
    }

    private func askAnimals(_ body: String, at url: URL) async throws -> String {
        var request = URLRequest(url: url.appending(path: "animals/api"))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        return String(decoding: data, as: UTF8.self)
    }

    @Test("Keys from a pipe use the screens")
    func interactive() async throws {
        let run = try await demo("cities", "--interactive", keys: "\r\u{1B}")
        #expect(run.code == 0)
        #expect(run.output.contains("Where shall we deliver to?"))
        #expect(run.output.contains("Delivery to London"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test("Without a terminal and without keys it says what it needs")
    func noKeys() async throws {
        let run = try await demo("cities", "--interactive", keys: "")
        #expect(run.code == 1)
        #expect(run.errors.contains("--interactive needs a terminal, or keys on the standard input."))
    }

    @Test("The changes of the states are written to a file while a person uses the screens")
    func states() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try await demo("cities", "--interactive", "--states", file.path(), keys: "\rAda\u{1B}")
        #expect(run.code == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("state   form.recipient: \"Ad\" → \"Ada\""))
    }
}
