// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FirstFeature",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Feedback", path: "../..")],
    targets: [
        .target(
            name: "Departures",
            dependencies: [
                .product(name: "Feedback", package: "Feedback"),
                .product(name: "Networking", package: "Feedback"),
                .product(name: "Presentation", package: "Feedback"),
            ]),
        .target(
            name: "CannedResponses", path: "Tests/CannedResponses", resources: [.copy("Departures")]),
        .executableTarget(
            name: "departures-board",
            dependencies: [
                "Departures", "CannedResponses", .product(name: "Canned", package: "Feedback"),
                .product(name: "Presentation", package: "Feedback"),
            ]),
        .testTarget(
            name: "DeparturesTests",
            dependencies: [
                "Departures", "CannedResponses", .product(name: "Feedback", package: "Feedback"),
                .product(name: "FeedbackTesting", package: "Feedback"),
                .product(name: "Networking", package: "Feedback"),
                .product(name: "Presentation", package: "Feedback"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
