import Foundation
import Testing

@testable import demo

struct ArgumentsTests {
    private let features = [
        DemoFeature(name: "cities", summary: ""),
        DemoFeature(name: "movies", summary: "", keepsData: true, servesKeptData: true, canUseOutbox: true),
        DemoFeature(name: "quakes", summary: "", keepsData: true, showsFeeds: true),
    ]

    private func parse(_ line: String) throws(ArgumentError) -> Arguments {
        try Arguments.parse(line.split(separator: " ").map(String.init), features: features)
    }

    @Test("No words mean all features, driven by the script")
    func none() throws {
        #expect(try parse("") == Arguments())
    }

    @Test("Every option is understood, with its value behind it or behind an equals sign")
    func options() throws {
        var expected = Arguments()
        expected.features = ["cities"]
        expected.failRate = 0.3
        expected.latency = .milliseconds(50)
        expected.baseURL = URL(string: "http://127.0.0.1:8080")
        expected.logsRequests = true
        expected.isInteractive = true
        #expect(
            try parse("cities --fail 0.3 --latency=50 --base-url http://127.0.0.1:8080 --log -i") == expected)

        #expect(try parse("--canned Tests/Canned").cannedFolder?.lastPathComponent == "Canned")
        #expect(try parse("movies --database file.db").database?.lastPathComponent == "file.db")
        #expect(try parse("serve --port 8080").port == 8_080)
        #expect(try parse("--web --port 8080").isWeb)
        #expect(try parse("serve --port 8080").command == .serve)
        #expect(try parse("serve movies --database file.db").features == ["movies"])
        #expect(try parse("serve movies --database postgresql://u@h/d").databaseServer == "postgresql://u@h/d")
        #expect(try parse("serve movies --share-port").sharesPort)
        #expect(try parse("quakes --feed week.geojson").feed?.lastPathComponent == "week.geojson")
        #expect(try parse("quakes --live").isLive)
        #expect(try parse("movies --offline-at 8").offlineActs == 8..<18)
        #expect(try parse("movies --offline-at 8").usesOutbox)
        #expect(try parse("movies --online-at 12 --offline-at 8").offlineActs == 8..<12)
        #expect(try parse("serve --log").logsRequests)
        #expect(try parse("--log-bodies").logsRequests && parse("--log-bodies").logsBodies)
        #expect(try parse("-i --states a.txt").states?.lastPathComponent == "a.txt")
        #expect(try parse("--help").command == .showHelp)
        #expect(try parse("--version --help").command == .showHelp)
        #expect(try parse("cities movies cities").features == ["cities", "movies"])
    }

    @Test(
        "Arguments that are wrong get one line that helps",
        arguments: [
            ("--base-urk x", "There is no option --base-urk. Did you mean --base-url?"),
            ("--intercative", "There is no option --intercative. Did you mean --interactive?"),
            ("--quick", "There is no option --quick. --help lists the options."),
            ("citys", "There is no feature citys. Did you mean cities?"),
            ("sevre", "There is no feature sevre. Did you mean serve?"),
            ("weather", "There is no feature weather. The features are cities, movies, quakes."),
            ("--fail", "--fail needs a value: --fail RATE"),
            ("--fail --log", "--fail needs a value: --fail RATE"),
            ("--record -i", "--record needs a value: --record FILE"),
            ("cities --replay a.json", "--replay plays the features of the recording. Leave out cities."),
            ("-i --states a.txt --record ./a.txt", "--states and --record need files of their own."),
            ("quakes -i --database q.sqlite --states q.sqlite", "--database and --states need files of their own."),
            ("quakes -i --database q.sqlite --states q.sqlite-wal", "--database and --states need files of their own."),
            ("serve quakes movies --database q --feed q-journal", "--database and --feed need files of their own."),
            ("quakes -i --feed f.json --states ./f.json", "--feed and --states need files of their own."),
            ("quakes --feed f.json --record x/../f.json", "--feed and --record need files of their own."),
            ("-i --canned answers --record answers/a.json", "--record needs a file outside of the folder of --canned."),
            ("serve movies quakes --feed f --database f", "--database and --feed need files of their own."),
            ("--fail 2", "--fail needs a share from 0 to 1, such as 0.3, not \"2\"."),
            ("--fail nan", "--fail needs a share from 0 to 1, such as 0.3, not \"nan\"."),
            ("--latency -5", "--latency needs a number of milliseconds up to 60000, such as 50, not \"-5\"."),
            ("serve --port 70000", "--port needs a port from 0 to 65535, such as 8080, not \"70000\"."),
            ("--port 80", "--port goes with serve and --web only."),
            ("-i --web", "--interactive and --web cannot be used together. Leave one of them out."),
            ("serve -i", "--interactive does not go with serve."),
            ("serve cities --database x", "--database has no effect: cities keeps no data. Leave it out."),
            ("serve quakes --database x", "--database has no effect: quakes keeps no data. Leave it out."),
            (
                "movies --database postgresql://anna:secret@h/d",
                "--database takes the address of a PostgreSQL server only with serve."
            ),
            ("--share-port", "--share-port goes with serve only."),
            ("serve --share-port --port 0", "--share-port needs a port that other processes can name, not 0."),
            ("cities -i --verbose", "--interactive and --verbose cannot be used together. Leave one of them out."),
            ("cities --web --verbose", "--web and --verbose cannot be used together. Leave one of them out."),
            (
                "--replay a.json --as-test b --verbose",
                "--as-test and --verbose cannot be used together. Leave one of them out."
            ),
            ("--base-url http://anna:secret@h", "--base-url takes a URL without a name and password."),
            ("--base-url http://anna@h", "--base-url takes a URL without a name and password."),
            ("--base-url ftp://anna:secret@h", "--base-url takes a URL without a name and password."),
            ("--base-url anna:secret@h:80", "--base-url takes a URL without a name and password."),
            ("--states a.txt", "--states goes with --interactive only."),
            ("--log=yes", "--log takes no value."),
            (
                "--base-url ftp://x",
                "--base-url needs an http or https URL, such as http://127.0.0.1:8080, not \"ftp://x\"."
            ),
            (
                "--canned a --base-url http://x",
                "--base-url and --canned cannot be used together. Leave one of them out."
            ),
            ("quakes --live --feed x", "--live and --feed cannot be used together. Leave one of them out."),
            ("cities --live", "--live has no effect: cities shows no feed. Leave it out."),
            ("cities --feed x", "--feed has no effect: cities shows no feed. Leave it out."),
            ("cities --database x", "--database has no effect: cities keeps no data. Leave it out."),
            ("movies --offline-at 0", "--offline-at needs the number of an act, from 1, such as 8, not \"0\"."),
            ("movies --online-at 9", "--online-at goes with --offline-at only."),
            (
                "movies --offline-at 9 --online-at 9",
                "--online-at needs a step after that of --offline-at, such as 19, not \"9\"."
            ),
            ("cities --offline-at 9", "--offline-at goes with movies only."),
            (
                "movies --offline-at 9 --canned x",
                "--offline-at and --canned cannot be used together. Leave one of them out."
            ),
            (
                "movies --offline-at 9 --record x",
                "--offline-at and --record cannot be used together. Leave one of them out."
            ),
        ])
    func errors(line: String, message: String) {
        let error = #expect(throws: ArgumentError.self) { try parse(line) }
        #expect(error?.description == message)
    }

    @Test("One file is recognized by its other paths: a symbolic link, a link on the way, and a hard link")
    func links() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? files.removeItem(at: folder) }
        let answers = folder.appending(path: "answers")
        try files.createDirectory(at: answers, withIntermediateDirectories: true)
        let feed = answers.appending(path: "feed.json")
        try Data("{}".utf8).write(to: feed)
        try files.createSymbolicLink(at: folder.appending(path: "symbolic"), withDestinationURL: feed)
        try files.createSymbolicLink(at: folder.appending(path: "folder"), withDestinationURL: answers)
        try files.linkItem(at: feed, to: folder.appending(path: "hard"))
        let path = folder.path(percentEncoded: false)
        for link in ["symbolic", "folder/feed.json", "hard"] {
            let error = #expect(throws: ArgumentError.self) {
                try parse("quakes --feed \(path)/answers/feed.json --record \(path)/\(link)")
            }
            #expect(error == .sameFile("--feed", "--record"), "\(link)")
        }
        try files.removeItem(at: feed)
        #expect(throws: Never.self) { try parse("quakes --feed \(path)/answers/feed.json --record \(path)/hard") }
    }

    @Test("Every option is explained, and all lines of the help fit")
    func help() {
        let text = Help.text(features: features)
        for option in Option.all { #expect(text.contains("\(option.name)") && text.contains(option.summary)) }
        for feature in features { #expect(text.contains(feature.name)) }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
