import Foundation
import Recordings
import Testing

@Suite("Recorded runs of the demo")
struct RecordingTests {
    @Test(
        "A recorded run is repeated without a network, and reaches the same states",
        arguments: ["cities", "movies", "animals", "quakes", "timeline"])
    func replay(feature: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let recorded = try await demo(feature, "--record", file.path())
        #expect(recorded.code == 0, "\(recorded.output.suffix(500))")
        let recording = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(!recording.contains("Bearer"))
        let replayed = try await demo("--replay", file.path())
        // The recording is not there any more to find out why the replay differs.
        #expect(replayed.code == 0, "\(replayed.output.suffix(1_000))\n\(recording)")
        #expect(replayed.output.contains("of the recording are the same in the replay."))
    }

    @Test("Several runs of one feature become several tests")
    func severalTests() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "runs.json")
        let run = Recording.Run(features: ["cities"], time: Date(), seed: 1, services: [:])
        try Recording(runs: [run, run]).data().write(to: file)
        let written = try await demo("--replay", file.path(), "--as-test", folder.path())
        #expect(written.code == 0, "\(written.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        #expect(Set(names).isSuperset(of: ["RecordedCitiesTests.swift", "RecordedCities2Tests.swift"]), "\(names)")
    }

    @Test("A file that is not a recording gets one line that explains it")
    func unreadable() async throws {
        let missing = try await demo("--replay", "/there/is/no/such.json")
        #expect(missing.code == 1)
        #expect(missing.errors.contains("There is no file /there/is/no/such.json."))
    }
}
