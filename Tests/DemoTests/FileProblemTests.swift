import ChildProcesses
import Foundation
import Testing

@testable import demo

struct FileProblemTests {
    @Test("A file that may not be used is told from one that is missing, also if its folder may not be entered")
    func permissions() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try #require(OrdinaryUser.folder(), "\(OrdinaryUser.needs)")
            let path = folder.path(percentEncoded: false)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "locked"), withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: folder.appending(path: "closed.json"))
            chmod("\(path)/closed.json", 0)
            chmod("\(path)/locked", 0)
            let cases: [(option: String, path: String, problem: FileProblem)] = [
                ("--replay", "\(path)/closed.json", .unreadable(path: "\(path)/closed.json")),
                ("--replay", "\(path)/locked/a.json", .unreadable(path: "\(path)/locked/a.json")),
                ("--replay", "\(path)/none.json", .missing("--replay", path: "\(path)/none.json")),
                ("--record", "\(path)/closed.json", .unwritable("--record", path: "\(path)/closed.json")),
                ("--record", "\(path)/locked/a.json", .unwritable("--record", path: "\(path)/locked/")),
                ("--record", "\(path)/locked/a/b.json", .unwritable("--record", path: "\(path)/locked/a/")),
                ("--database", "\(path)/closed.json", .unwritable("--database", path: "\(path)/closed.json")),
                ("--canned", path, .unreadable(path: "\(path)/closed.json")),
                ("--canned", "\(path)/locked", .unreadable(path: "\(path)/locked")),
            ]
            for (option, file, problem) in cases {
                let words = option == "--database" ? ["movies", option, file] : [option, file]
                let arguments = try Arguments.parse(words, features: allFlows.map(\.feature))
                #expect(FileProblem(in: arguments) == problem)
            }
            chmod("\(path)/locked", 0o700)
            try FileManager.default.removeItem(at: folder)
        }
    }

    @Test("A feed that could not be read twice is refused")
    func devices() throws {
        let arguments = try Arguments.parse(["quakes", "--feed", "/dev/null"], features: allFlows.map(\.feature))
        #expect(FileProblem(in: arguments) == .notSaved("--feed", path: "/dev/null"))
    }
}
