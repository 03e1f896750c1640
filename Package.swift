// swift-tools-version: 6.2

import PackageDescription

// Every target is built the same way: Swift 6 language mode, and a warning is an error.
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// The benchmark's rows on PostgreSQL are for those who name a server. Without one, the command needs no libpq.
let benchmarksPostgres = Context.environment["BENCHMARK_POSTGRES"]?.isEmpty == false

let package = Package(
    name: "Feedback",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Feedback", targets: ["Feedback"]),
        .library(name: "JSON", targets: ["JSON"]),
        .library(name: "Networking", targets: ["Networking"]),
        .library(name: "Persistence", targets: ["Persistence"]),
        .library(name: "Postgres", targets: ["Postgres"]),
        .library(name: "Presentation", targets: ["Presentation"]),
        .library(name: "Sync", targets: ["Sync"]),
        .library(name: "Browser", targets: ["Browser"]),
        .library(name: "Recordings", targets: ["Recordings"]),
        .library(name: "LocalBackend", targets: ["LocalBackend"]),
        .library(name: "TableBackend", targets: ["TableBackend"]),
        .library(name: "Canned", targets: ["Canned"]),
        .library(name: "FeedbackTesting", targets: ["FeedbackTesting"]),
        .library(name: "Cities", targets: ["Cities"]),
        .library(name: "Movies", targets: ["Movies"]),
        .library(name: "Animals", targets: ["Animals"]),
        .library(name: "Quakes", targets: ["Quakes"]),
        .library(name: "Timeline", targets: ["Timeline"]),
        .executable(name: "demo", targets: ["demo"]),
    ],
    targets: [
        // Floor 1
        .target(name: "Feedback", swiftSettings: settings),
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "LocalBackend", dependencies: ["JSON"], swiftSettings: settings),
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // On Linux only: Apple platforms have a URLSession to rely on.
        .systemLibrary(
            name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CPostgres", path: "Sources/System/CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // On Linux only, for the benchmark: Swift's module of the C library leaves it out.
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),

        // Floor 2
        .target(
            name: "Networking",
            dependencies: ["Feedback", "JSON", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .target(name: "Persistence", dependencies: ["Feedback", "JSON", "CSQLite"], swiftSettings: settings),
        .target(name: "Presentation", dependencies: ["Feedback"], swiftSettings: settings),

        // Floor 3
        .target(name: "Postgres", dependencies: ["Feedback", "Persistence", "CPostgres"], swiftSettings: settings),
        .target(
            name: "Sync", dependencies: ["Feedback", "JSON", "Networking", "Persistence", "Presentation"],
            swiftSettings: settings),
        .target(
            name: "Browser", dependencies: ["Feedback", "JSON", "LocalBackend", "Presentation"],
            resources: [
                .embedInCode("Resources/events.js"),
                .embedInCode("Resources/script.js"), .embedInCode("Resources/style.css"),
                .embedInCode("Resources/inspector.js"), .embedInCode("Resources/inspector.css"),
            ],
            swiftSettings: settings),
        .target(
            name: "Cities", dependencies: ["Feedback", "Networking", "Presentation"], path: "Sources/Features/Cities",
            swiftSettings: settings),
        .target(
            name: "Movies", dependencies: ["Feedback", "Networking", "Persistence", "Presentation", "Sync"],
            path: "Sources/Features/Movies", swiftSettings: settings),
        // A server for PostgRESTStore.
        .target(
            name: "TableBackend", dependencies: ["Feedback", "JSON", "Persistence", "Sync", "LocalBackend"],
            path: "Sources/Backends/TableBackend", swiftSettings: settings),
        .target(
            name: "Animals", dependencies: ["Feedback", "Networking", "Persistence", "Presentation"],
            path: "Sources/Features/Animals", swiftSettings: settings),
        // The server of the animals, apart from the feature, which knows of none.
        .target(
            name: "AnimalsBackend", dependencies: ["Animals", "Feedback", "Networking", "LocalBackend"],
            path: "Sources/Backends/AnimalsBackend", swiftSettings: settings),
        .target(
            name: "Quakes", dependencies: ["Feedback", "Networking", "Persistence", "Presentation", "Sync"],
            path: "Sources/Features/Quakes", swiftSettings: settings),
        // The server of the feeds; it makes them up, and knows nothing of the feature.
        .target(
            name: "QuakesBackend", dependencies: ["Feedback", "LocalBackend"], path: "Sources/Backends/QuakesBackend",
            swiftSettings: settings),
        .target(
            name: "MoviesBackend", dependencies: ["Feedback", "Movies", "TableBackend", "LocalBackend", "Persistence"],
            path: "Sources/Backends/MoviesBackend", swiftSettings: settings),
        .target(
            name: "CitiesBackend", dependencies: ["Cities", "Feedback", "LocalBackend"],
            path: "Sources/Backends/CitiesBackend", swiftSettings: settings),
        .target(
            name: "Timeline", dependencies: ["Feedback", "Networking", "Persistence", "Presentation"],
            path: "Sources/Features/Timeline", swiftSettings: settings),
        // A small Mastodon server. The feature does not know it.
        .target(
            name: "TimelineBackend", dependencies: ["Feedback", "LocalBackend"],
            path: "Sources/Backends/TimelineBackend", swiftSettings: settings),
        // By itself, as the demo has it too, and FeedbackTesting links the testing libraries.
        .target(name: "Canned", dependencies: ["Feedback", "JSON", "Networking"], swiftSettings: settings),
        .target(
            name: "Recordings", dependencies: ["Feedback", "JSON", "Networking", "Presentation", "Canned"],
            swiftSettings: settings),
        .target(
            name: "FeedbackTesting", dependencies: ["Feedback", "Networking", "Presentation", "Canned", "Recordings"],
            swiftSettings: settings),

        // Floor 4
        .executableTarget(
            name: "demo",
            dependencies: [
                "Feedback", "Networking", "Persistence", "Presentation", "LocalBackend", "Canned", "Recordings",
                "Browser", "Cities", "Movies", "MoviesBackend", "CitiesBackend", "Animals", "AnimalsBackend", "Quakes",
                "QuakesBackend", "Timeline", "TimelineBackend", "Sync", "TableBackend",
                "Postgres",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "Feedback", "JSON", "Networking", "LocalBackend", "Persistence", "Presentation", "Sync", "Browser",
                "CSQLite", "Quakes", "QuakesBackend", "Timeline", "Fixtures", "ColdOperators", "JSONSamples",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
            ] + (benchmarksPostgres ? ["Postgres", "CPostgres"] : []),
            swiftSettings: settings + (benchmarksPostgres ? [.define("POSTGRES")] : [])),

        // What the tests share
        .target(
            name: "CannedResponses", path: "Tests/CannedResponses",
            resources: [
                .copy("Animals"), .copy("Cities"), .copy("Movies"), .copy("Networking"), .copy("Quakes"),
                .copy("Timeline"),
            ],
            swiftSettings: settings),
        .target(
            name: "Fixtures",
            dependencies: [
                "ChildProcesses", "Feedback", "Networking", "Persistence", "Presentation", "Sync", "Cities", "Movies",
                "Animals", "Quakes", "Timeline",
            ],
            path: "Tests/Fixtures", swiftSettings: settings),
        .executableTarget(
            name: "PersistenceWriter", dependencies: ["Persistence"], path: "Tests/PersistenceWriter",
            swiftSettings: settings),
        .executableTarget(
            name: "PostgresWriter", dependencies: ["Persistence", "Postgres"], path: "Tests/PostgresWriter",
            swiftSettings: settings),
        .executableTarget(
            name: "OutboxWriter", dependencies: ["Networking", "Persistence", "Sync"], path: "Tests/OutboxWriter",
            swiftSettings: settings),
        .executableTarget(
            name: "QuakesWriter", dependencies: ["Feedback", "Networking", "Quakes", "QuakesBackend"],
            path: "Tests/QuakesWriter", swiftSettings: settings),

        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(
            name: "ChildProcesses", dependencies: ["CSpawn", "Feedback"], path: "Tests/ChildProcesses",
            swiftSettings: settings),

        // All cold operators, for tests of long rows of them in a debug build, and in an optimized one.
        .target(
            name: "ColdOperators", dependencies: ["Feedback"], path: "Tests/ColdOperators", swiftSettings: settings),

        // Random and damaged bodies, and a plain check of JSON's grammar.
        .target(name: "JSONSamples", path: "Tests/JSONSamples", swiftSettings: settings),

        // Limits how many tests run at once. All tests are one program, so one of them suffices to bring it in.
        .target(name: "TestParallelism", path: "Tests/TestParallelism"),

        // Tests
        .testTarget(
            name: "FeedbackTests", dependencies: ["Feedback", "FeedbackTesting", "ColdOperators", "TestParallelism"],
            swiftSettings: settings),
        .testTarget(
            name: "JSONTests", dependencies: ["JSON", "JSONSamples", "FeedbackTesting"], swiftSettings: settings),
        .testTarget(
            name: "LocalBackendTests", dependencies: ["LocalBackend", "FeedbackTesting"], swiftSettings: settings),
        .testTarget(
            name: "NetworkingTests",
            dependencies: [
                "Networking", "LocalBackend", "Canned", "ChildProcesses", "FeedbackTesting", "CannedResponses",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PersistenceTests",
            dependencies: [
                "ChildProcesses", "Feedback", "Persistence", "CSQLite", "PersistenceWriter", "FeedbackTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "Animals", "CPostgres", "ChildProcesses", "Feedback", "FeedbackTesting", "LocalBackend", "Movies",
                "Networking", "Persistence", "Postgres", "PostgresWriter", "TableBackend", "demo",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PresentationTests",
            dependencies: ["ChildProcesses", "Presentation", "Feedback", "FeedbackTesting", "Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "FeedbackTestingTests",
            dependencies: ["ChildProcesses", "Feedback", "FeedbackTesting", "Presentation"],
            swiftSettings: settings),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "Browser", "Feedback", "FeedbackTesting", "Fixtures", "LocalBackend", "Networking", "Presentation",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RecordingsTests",
            dependencies: [
                "Recordings", "Canned", "CannedResponses", "ChildProcesses", "Cities", "Feedback", "FeedbackTesting",
                "Networking", "Presentation",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CitiesTests",
            dependencies: [
                "Cities", "CitiesBackend", "LocalBackend", "FeedbackTesting", "CannedResponses", "Fixtures",
            ],
            exclude: ["Snapshots"], swiftSettings: settings),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Sync", "TableBackend", "LocalBackend", "Presentation", "ChildProcesses", "FeedbackTesting",
                "JSONSamples", "OutboxWriter",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MoviesTests",
            dependencies: ["Movies", "TableBackend", "LocalBackend", "FeedbackTesting", "CannedResponses", "Fixtures"],
            exclude: ["Snapshots"], swiftSettings: settings),
        .testTarget(
            name: "TableBackendTests",
            dependencies: ["ChildProcesses", "TableBackend", "LocalBackend", "Persistence", "Sync"],
            exclude: ["PostgRESTClient"],
            swiftSettings: settings),
        .testTarget(
            name: "AnimalsTests",
            dependencies: [
                "Animals", "AnimalsBackend", "Feedback", "LocalBackend", "Networking", "FeedbackTesting",
                "CannedResponses", "Fixtures",
            ],
            exclude: ["Snapshots"], swiftSettings: settings),
        .testTarget(
            name: "QuakesTests",
            dependencies: [
                "Quakes", "QuakesBackend", "QuakesWriter", "ChildProcesses", "Feedback", "LocalBackend", "Networking",
                "Persistence", "Presentation", "FeedbackTesting", "CannedResponses", "Fixtures",
            ],
            exclude: ["Snapshots"], swiftSettings: settings),
        .testTarget(
            name: "TimelineTests",
            dependencies: [
                "Timeline", "TimelineBackend", "LocalBackend", "FeedbackTesting", "CannedResponses", "Fixtures",
            ],
            exclude: ["Snapshots"], swiftSettings: settings),
        .testTarget(
            name: "DemoTests",
            dependencies: [
                "demo", "ChildProcesses", "Feedback", "FeedbackTesting", "Fixtures", "Persistence", "Presentation",
                "Recordings",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
