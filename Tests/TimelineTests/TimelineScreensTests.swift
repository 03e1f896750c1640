import Feedback
import FeedbackTesting
import Networking
import Persistence
import Testing

@testable import Timeline

/// What the timeline, a thread and a profile show, on the small Mastodon server over real sockets.
struct TimelineScreensTests {
    @Test("The thread of a status has what it answers and what answers it, oldest first")
    func thread() async throws {
        try await withServer { server in
            let statuses = try await server.allStatuses()
            let questions = Dictionary(uniqueKeysWithValues: statuses.map { ($0.id, $0.inReplyToId) })
            func ancestors(of id: Status.ID) -> [Status.ID] {
                questions[id].flatMap { $0 }.map { ancestors(of: $0) + [$0] } ?? []
            }
            let last = try #require(statuses.map(\.id).first { ancestors(of: $0).count > 1 })
            let talk = ancestors(of: last) + [last]
            // What is shown afterwards is from the answers to the requests for threads.
            server.cache.removeAll()
            for id in talk {
                _ = try await server.controller.fetchThread(of: id).value()
                let thread = try #require(server.controller.watchThread(of: id).firstValue ?? nil)
                let descendants = statuses.map(\.id).filter { ancestors(of: $0).contains(id) }.sorted()
                #expect(thread.status.id == id)
                #expect(thread.ancestors.map(\.id) == ancestors(of: id))
                #expect(thread.descendants.map(\.id) == descendants)
            }
            let shown = ShownValues(server.controller.watchThread(of: talk[0])) {
                $0?.descendants.first { $0.id == last }?.isFavourite
            }
            _ = try await server.controller.perform(StatusAct(.favourite, true, last)).collected()
            #expect(shown.values == [false, true])
        }
    }

    @Test("A favourite is at once on all three screens, and taken back from all if the server refuses")
    func favourites() async throws {
        try await withServer { server in
            _ = try await server.controller.refreshHome().value()
            let status = try #require(
                server.cache.watch(TimelineKey.home).firstValue??.entities.first { $0.reblog == nil })
            _ = try await server.controller.fetchThread(of: status.id).value()
            _ = try await server.controller.fetchProfile(of: status.account.id).value()
            let home = ShownValues(server.controller.watchHome()) {
                $0?.entities.first { $0.id == status.id }?.isFavourite
            }
            let detail = ShownValues(server.controller.watchThread(of: status.id)) { $0?.status.isFavourite }
            let profile = ShownValues(server.controller.watchProfile(of: status.account.id)) {
                $0?.timeline?.entities.first { $0.id == status.id }?.isFavourite
            }
            let screens = [home, detail, profile]

            let act = StatusAct(.favourite, true, status.id)
            let isConfirmed = MutableProperty(false)
            server.controller.perform(act).startWithCompleted { isConfirmed.value = true }
            for screen in screens { #expect(screen.values == [false, true]) }
            await eventually("the server has confirmed it") { isConfirmed.value }

            server.mastodon.refuseNextChanges(1)
            let error = await #expect(throws: CoreError.self) {
                _ = try await server.controller.perform(StatusAct(.favourite, false, status.id)).collected()
            }
            #expect("\(try #require(error))".contains("403"))
            for screen in screens { #expect(screen.values == [false, true, false, true]) }
            #expect(server.cache[Reference<Status>(status.id)]?.favouritesCount == status.favouritesCount + 1)
        }
    }

    @Test("An account that is renamed is renamed on all three screens, in every status shown")
    func rename() async throws {
        try await withServer { server in
            _ = try await server.controller.fetchProfile(of: "1").value()
            _ = try await server.controller.refreshHome().value()
            let own = try #require(server.cache.list(TimelineKey.account("1"))?.ids.first)
            _ = try await server.controller.fetchThread(of: own).value()
            let home = ShownValues(server.controller.watchHome()) {
                Set($0?.entities.map(\.shown.account).filter { $0.id == "1" }.map(\.name) ?? [])
            }
            let thread = ShownValues(server.controller.watchThread(of: own)) {
                Set($0.map { [$0.status.account.name] } ?? [])
            }
            let profile = ShownValues(server.controller.watchProfile(of: "1")) {
                Set($0.map { [$0.account.name] + ($0.timeline?.entities ?? []).map(\.account.name) } ?? [])
            }
            let screens = [home, thread, profile]
            _ = try await server.controller.rename("1", to: " Ann ").collected()
            for screen in screens { #expect(screen.values == [["Ada Quist"], [" Ann "], ["Ann"]]) }
            server.mastodon.refuseNextChanges(1)
            await #expect(throws: CoreError.self) {
                _ = try await server.controller.rename("1", to: "Bad").collected()
            }
            for screen in screens { #expect(screen.values.suffix(2) == [["Bad"], ["Ann"]]) }
        }
    }

    @Test("The statuses of a profile are paged to their end, each once")
    func paging() async throws {
        try await withServer(statusCount: 500) { server in
            let own = try await server.allStatuses().filter { $0.account.id == "1" }.map(\.id)
            _ = try await server.controller.fetchProfile(of: "1").value()
            var pages = 1
            while server.cache.list(TimelineKey.account("1"))?.next != nil, pages < 20 {
                _ = try await server.controller.fetchOlderStatuses(of: "1").value()
                pages += 1
            }
            #expect(pages > 2)
            let profile = try #require(server.controller.watchProfile(of: "1").firstValue ?? nil)
            #expect(profile.timeline?.entities.map(\.id) == own)
        }
    }
}

extension TimelineServer {
    /// Fetches the home timeline to its end.
    fileprivate func allStatuses() async throws -> [Status] {
        _ = try await controller.refreshHome().value()
        while home?.next != nil { _ = try await controller.fetchOlderHome().value() }
        return cache.watch(TimelineKey.home).firstValue??.entities ?? []
    }
}
