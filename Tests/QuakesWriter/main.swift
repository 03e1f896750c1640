// Refreshes a database with one revision of a feed after the other until it is killed: the process that the tests of the
// quakes kill. It says before each refresh which revision it begins with.

import Feedback
import Foundation
import Networking
import Quakes
import QuakesBackend

/// Answers with the feed of a revision, as a server would.
struct Revisions: Accessible {
    let revision: MutableProperty<Int>

    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer { [revision] () -> Result<Response, CoreError> in
            let generator = QuakeFeedGenerator(count: 600, end: Date(timeIntervalSince1970: 1_795_262_400))
            let feed: Result<QuakeFeed, CoreError> = Parser.parse(generator.feed(revision: revision.value))
            return feed.flatMap { feed in
                let version = ResourceVersion(tag: "\(revision.value)", lastModified: nil)
                guard let answer = Conditional.changed(feed, version) as? Response else { return .failure(.cancelled) }
                return .success(answer)
            }
        }
    }
}

guard CommandLine.arguments.count == 3, let first = Int(CommandLine.arguments[2]) else { exit(2) }
do {
    let revision = MutableProperty(first)
    let controller = QuakesBusinessController(
        accessible: Revisions(revision: revision), database: try QuakeDatabase(.file(CommandLine.arguments[1])))
    while true {
        FileHandle.standardOutput.write(Data("\(revision.value)\n".utf8))
        _ = try await controller.refreshQuakes(.month).value()
        revision.modify { $0 += 1 }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(5)
}
