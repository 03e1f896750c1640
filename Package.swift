// swift-tools-version: 6.2

import PackageDescription

// Every target is built the same way: Swift 6 language mode, and a warning is an error.
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Feedback",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Feedback", targets: ["Feedback"]),
        .library(name: "Networking", targets: ["Networking"]),
        .library(name: "LocalBackend", targets: ["LocalBackend"]),
        .library(name: "FeedbackTesting", targets: ["FeedbackTesting"]),
    ],
    targets: [
        // Floor 1
        .target(name: "Feedback", swiftSettings: settings),
        .target(name: "LocalBackend", swiftSettings: settings),

        // Floor 2
        .target(name: "Networking", dependencies: ["Feedback"], swiftSettings: settings),

        // Floor 3
        .target(name: "FeedbackTesting", dependencies: ["Feedback", "Networking"], swiftSettings: settings),

        // Floor 4
        .executableTarget(
            name: "benchmark", dependencies: ["Feedback", "Networking", "LocalBackend"], swiftSettings: settings),

        // Tests
        .target(
            name: "CannedResponses", path: "Tests/CannedResponses", resources: [.copy("Networking")],
            swiftSettings: settings),
        .testTarget(name: "FeedbackTests", dependencies: ["Feedback", "FeedbackTesting"], swiftSettings: settings),
        .testTarget(
            name: "FeedbackTestingTests", dependencies: ["Feedback", "FeedbackTesting"], swiftSettings: settings),
        .testTarget(name: "LocalBackendTests", dependencies: ["LocalBackend"], swiftSettings: settings),
        .testTarget(
            name: "NetworkingTests",
            dependencies: ["Networking", "LocalBackend", "FeedbackTesting", "CannedResponses"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
