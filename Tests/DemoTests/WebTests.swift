import FeedbackTesting
import Fixtures
import Foundation
import Recordings
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The demo in a web browser")
struct WebTests {
    @Test("The address that is printed opens the page, and no other does, until the demo is interrupted")
    func page() async throws {
        let web = try Running("--web")
        let address = try await web.address()
        #expect(address.host() == "127.0.0.1")
        let (data, response) = try await URLSession(configuration: .ephemeral).data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("<title>Feedback</title>"))
        let other = try #require(URL(string: "/", relativeTo: address))
        let (_, refused) = try await URLSession(configuration: .ephemeral).data(from: other)
        #expect((refused as? HTTPURLResponse)?.statusCode == 403)
        web.process.kill(SIGINT)
        #expect(await web.end() == .exit(0))
    }

    @Test(
        "A flow that is started again after its end is a run of its own in the recording",
        .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
    func twoRuns() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let web = try Running("animals", "--web", "--record", file.path())
        let address = try await web.address()
        try await WebBrowser.use { browser in
            func sees(_ text: String) async throws {
                try await eventually("the page shows \(text)") { try await browser.text.contains(text) }
            }
            for _ in 1...2 {
                try await browser.go(to: address)
                try await sees("Where are the animals kept?")
                try await browser.click(".choice button")
                try await sees("Which animals would you like to see?")
                try await browser.press("\u{E00C}")
                try await sees("Where are the animals kept?")
                try await browser.press("\u{E00C}")
                try await sees("The end")
            }
        }
        web.process.kill(SIGINT)
        #expect(await web.end() == .exit(0))
        let recording = try Recording(contentsOf: file)
        #expect(recording.runs.count == 2)
        for run in recording.runs {
            let names = run.entries.compactMap { if case let .model(model) = $0 { model.name } else { nil } }
            #expect(names.sorted() == ["AnimalsLaunchViewModel", "AnimalsLibrary", "CategoryListViewModel"])
        }
        let replayed = try await demo("--replay", file.path())
        #expect(replayed.code == 0, "\(replayed.output.suffix(1_000))")
    }

    @Test(
        "A recording is watched in the browser, and its steps in the inspector",
        .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
    func replay() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await demo("cities", "--record", file.path()).code == 0)
        let web = try Running("--replay", file.path(), "--web")
        let address = try await web.address()
        try await WebBrowser.use { browser in
            try await browser.go(to: address)
            let wasPlayed = try await eventually("the recording was played", within: .seconds(240)) {
                try await browser.text.contains("of the recording are the same in the replay.")
            }
            if !wasPlayed {
                let place = try await browser.run("return location.href")
                Issue.record("At \(place): \(try await browser.text)\nThe program: \(web.output)")
            }
            try await browser.go(to: try #require(URL(string: "/inspector", relativeTo: address)))
            try await browser.type("DeliveryViewModel begins", into: "#filter")
            try await eventually("the steps are shown") {
                try await browser.run("return document.querySelector('.step .what')?.textContent ?? ''")
                    == "DeliveryViewModel begins"
            }
        }
        web.process.kill(SIGINT)
        #expect(await web.end() == .exit(0))
        #expect(web.output.contains("of the recording are the same in the replay."))
    }
}
