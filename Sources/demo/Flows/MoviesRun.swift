import Feedback
import Foundation
import Movies
import Persistence
import Presentation
import Sync

/// The flow of the movies with an outbox. It can be ended and started again on the same database, like a program.
final class MoviesRun: FlowController {
    let screens: ScreenStack
    private let materials: DemoMaterials
    private let networkCut: NetworkCut?
    private let file: TemporaryFile?
    private let location: SQLiteDatabase.Location
    private let controller = Locked<(any FlowController)?>(nil)

    init(_ materials: DemoMaterials, networkCut: NetworkCut? = nil, on screens: ScreenStack) {
        self.materials = materials
        self.networkCut = networkCut
        self.screens = screens
        let file = materials.database == nil ? TemporaryFile("movies.sqlite") : nil
        self.file = file
        let url = materials.database ?? file?.url
        location = url.map { .file($0.path(percentEncoded: false)) } ?? .memory
    }

    func start() {
        let controller = make()
        self.controller.withLock { $0 = controller }
        controller.start()
    }

    /// Brings the network back, if it was to be cut.
    func endNetworkCut() { networkCut?.end() }

    /// Releases everything that the flow has in memory, and starts it again.
    func restart() {
        while !screens.screens.isEmpty { screens.pop() }
        let before = controller.withLock { controller in
            defer { controller = nil }
            return controller
        }
        withExtendedLifetime(before) {}
        start()
    }

    private func make() -> any FlowController {
        do throws(StoreError) {
            return MoviesFlowController(
                try MoviesBuilder(
                    accessible: materials.session, outbox: Outbox(in: SQLiteDatabase(location)), now: materials.now,
                    makeID: materials.makeID),
                on: screens)
        } catch {
            return DeadEnd(title: "Movies", reason: "\(error)", on: screens)
        }
    }
}

/// A file in a folder of its own, which is removed when the last reference is released.
private final class TemporaryFile: Sendable {
    let url: URL

    /// Makes the folder; `nil` if that fails.
    init?(_ name: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "feedback-\(UUID().uuidString)")
        guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil else {
            return nil
        }
        url = folder.appending(path: name)
    }

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
}
