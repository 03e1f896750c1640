import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Networking
import Persistence
import Presentation
import Testing

@testable import Timeline

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The business controller, on the small Mastodon server over real sockets.
struct TimelineRepositoryTests {
    @Test("The home timeline is paged to its end, each status once")
    func paging() async throws {
        try await withServer(statusCount: 90) { server in
            let leftOut = try await server.controller.refreshHome().value()
            #expect(server.home?.ids.count == 20 - leftOut)
            var pages = 1
            while server.home?.next != nil, pages < 20 {
                _ = try await server.controller.fetchOlderHome().value()
                pages += 1
            }
            #expect(pages == 5)
            #expect(server.home.map { Set($0.ids).count == $0.ids.count } == true)
            #expect(server.home?.ids == server.home?.ids.sorted(by: >))
            #expect((88...90).contains(server.home?.ids.count ?? 0))
        }
    }

    @Test("A refresh puts what is new on top; what is missing is a gap that can be filled")
    func gap() async throws {
        try await withServer(statusCount: 30) { server in
            _ = try await server.controller.refreshHome().value()
            let before = try #require(server.home)
            server.mastodon.publish(5)
            _ = try await server.controller.refreshHome().value()
            #expect(server.home?.gaps == [])
            #expect(server.home?.ids.suffix(before.ids.count).elementsEqual(before.ids) == true)
            server.mastodon.publish(50)
            _ = try await server.controller.refreshHome().value()
            #expect(server.home?.gaps.count == 1)
            var fills = 0
            while let gap = server.home?.gaps.first, fills < 10 {
                _ = try await server.controller.fillGap(after: gap).value()
                fills += 1
            }
            #expect(fills == 2)
            #expect(server.home?.ids == server.home?.ids.sorted(by: >))
            #expect((server.home?.ids.count ?? 0) >= before.ids.count + 54)
            #expect(server.home?.next == before.next)
        }
    }

    @Test("Filling a gap fails if no status of its page can be read, and the gap stays, to try again")
    func unreadableGap() async throws {
        let page = MutableProperty(StatusPage(statuses: [.fixture(id: "30")], next: "30"))
        let cache = TimelineBusinessController.makeCache()
        let home = HomeTimelineRepository(accessible: OnePage(page: page), cache: cache)
        cache.change { $0.setList(TimelineKey.home, EntityList(["10"])) }
        _ = try await home.refresh().value()
        #expect(cache.list(TimelineKey.home)?.gaps == ["30"])
        page.value = StatusPage(statuses: [], next: "29", leftOut: 1)
        let error = await #expect(throws: CoreError.self) { try await home.fillGap(after: "30").value() }
        #expect(error.map { "\($0)" }?.contains("The only status of the page cannot be read.") == true)
        #expect(cache.list(TimelineKey.home)?.gaps == ["30"])
        page.value = StatusPage(statuses: [], next: "29")
        _ = try await home.fillGap(after: "30").value()
        #expect(cache.list(TimelineKey.home)?.gaps == [])
    }

    @Test("A status that has as many favourites as a number can be still becomes one", arguments: [Int.max, .min])
    func greatestCount(count: Int) {
        var status = Status.fixture(favouritesCount: count, isFavourite: count < 0)
        StatusAct(toggling: .favourite, of: status).apply(to: &status)
        #expect(status.isFavourite == (count > 0))
        #expect(status.favouritesCount == max(0, count))
    }

    @Test("A refusal is reported also if another act follows and the screen is left, until the next act")
    func refusals() async throws {
        try await withServer { server in
            _ = try await server.controller.refreshHome().value()
            let ids = try #require(server.home?.ids)
            let refusals = ShownValues(server.controller.watchRefusals()) { $0?.act }
            let acts = ids.prefix(2).map { StatusAct(.favourite, true, $0) }
            server.mastodon.refuseNextChanges(2)
            for act in acts { server.controller.perform(act).start().dispose() }
            // The first may be refused before or after the second begins, which clears what is shown.
            await eventually("both refusals have come") { acts.allSatisfy { refusals.values.contains($0) } }
            #expect(refusals.values.last != .some(nil))
            server.controller.perform(StatusAct(.reblog, true, ids[2])).start().dispose()
            #expect(refusals.values.last == .some(nil))
        }
    }

    @Test("A refused renaming is not done, and keeps the typed name, also if its name is still shown by then")
    func refusedRename() async throws {
        let server = RenamingServer()
        let cache = TimelineBusinessController.makeCache()
        cache.change { batch in
            batch.store(Account.fixture())
            batch.store(Account.fixture(id: "2", displayName: "Bo"))
        }
        let controller = TimelineBusinessController(accessible: server, cache: cache)
        let profile = LiveViewModel(ProfileViewModel(id: "1", isOwn: true, businessController: controller))
        profile.send(.editName("Ann"))
        profile.send(.rename)
        #expect(profile.state.value.profile?.account.displayName == "Ann")

        // A slow watch on another thread: what the refusal takes back waits until it has ended.
        let isBusy = MutableProperty(false)
        let goOn = DispatchSemaphore(value: 0)
        cache.watch(Reference<Account>("2")).skip(first: 1).startWithValues { _ in
            isBusy.value = true
            goOn.wait()
        }
        Thread.detachNewThread { cache.change { $0.store(Account.fixture(id: "2", displayName: "Bob")) } }
        await eventually("the watch is busy") { isBusy.value }
        server.renames.fail(.fixture())
        let state = profile.state.value
        goOn.signal()
        #expect(state.renaming.failure != nil)
        #expect(state.newName == "Ann")
        await eventually("the old name is shown") { profile.state.value.profile?.account.displayName == "Ada" }
        #expect(profile.state.value.renaming.failure != nil)
        #expect(profile.state.value.newName == "Ann")
    }

    @Test("A renaming that is refused after its screen was left is reported on the screen that is shown")
    func refusedRenameAfterLeaving() async throws {
        let server = RenamingServer()
        let cache = TimelineBusinessController.makeCache()
        cache.change { $0.store(Account.fixture()) }
        let controller = TimelineBusinessController(accessible: server, cache: cache)
        let home = LiveViewModel(HomeViewModel(businessController: controller))
        var profile: LiveViewModel? = LiveViewModel(
            ProfileViewModel(id: "1", isOwn: true, businessController: controller))
        profile?.send(.editName("Ann"))
        profile?.send(.rename)
        profile = nil
        server.renames.fail(.fixture())
        #expect(cache[Reference<Account>("1")]?.displayName == "Ada")
        let errors = HomeRenderer().render(home.state.value).errors
        #expect(errors.contains { $0.message.contains("could not be renamed to “Ann”") })
    }

    @Test("A request without a token is refused, and makes nobody write")
    func noToken() async throws {
        try await withServer(statusCount: 3, writtenBetweenRefreshes: 5) { server in
            let url = try #require(server.backend.address).appending(path: "api/v1/timelines/home")
            var request = URLRequest(url: url.appending(queryItems: [URLQueryItem(name: "since_id", value: "1")]))
            let refusal = try await URLSession.shared.data(for: request)
            #expect((refusal.1 as? HTTPURLResponse)?.statusCode == 401)
            request.setValue("Bearer test", forHTTPHeaderField: "Authorization")
            let (page, _) = try await URLSession.shared.data(for: request)
            #expect((try JSONSerialization.jsonObject(with: page) as? [Any])?.count == 3 + 5)
        }
    }

    @Test("A server that has many statuses forgets the oldest, and has new ones at each refresh")
    func manyStatuses() async throws {
        try await withServer(statusCount: 9_998, writtenBetweenRefreshes: 5) { server in
            let url = try #require(server.backend.address).appending(path: "api/v1/timelines/home")
            var request = URLRequest(url: url.appending(queryItems: [URLQueryItem(name: "since_id", value: "1")]))
            request.setValue("Bearer test", forHTTPHeaderField: "Authorization")
            var newest: Set<String> = []
            for _ in 0..<3 {
                let (page, _) = try await URLSession.shared.data(for: request)
                let statuses = try JSONSerialization.jsonObject(with: page) as? [[String: Any]]
                newest.insert(try #require(statuses?.first?["id"] as? String))
            }
            #expect(newest.count == 3)
        }
    }

    @Test("Actions on one status reach the server in order, also when its screen is left")
    func order() async throws {
        try await withServer { server in
            _ = try await server.controller.refreshHome().value()
            let id = try #require(server.home?.ids.first)
            for isOn in [true, false, true] {
                server.controller.perform(StatusAct(.favourite, isOn, id)).start().dispose()
            }
            #expect(server.cache[Reference<Status>(id)]?.isFavourite == true)
            await eventually("all have arrived") { server.requests("favourite") == 3 }
            let acts = server.backend.requests.map(\.path).filter { $0.hasSuffix("favourite") }
            #expect(acts.map { $0.split(separator: "/").last } == ["favourite", "unfavourite", "favourite"])
            await eventually("all are answered") { server.cache[Reference<Status>(id)]?.isFavourite == true }
        }
    }

    @Test("With a file the last screen is there before any request")
    func restored() async throws {
        let path = NSTemporaryDirectory() + "timeline-\(UUID().uuidString).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let kinds = TimelineBusinessController.cacheKinds
        var shown: CachedList<Status>??
        try await withServer(cache: NormalizedCache(file: CacheFile(at: path, kinds: kinds))) { server in
            _ = try await server.controller.refreshHome().value()
            shown = server.cache.watch(TimelineKey.home).firstValue
            try server.cache.flush()
        }
        let cache = try NormalizedCache(file: CacheFile(at: path, kinds: kinds))
        #expect((shown ?? nil)?.entities.isEmpty == false)
        #expect(cache.watch(TimelineKey.home).firstValue == shown)
    }
}

// MARK: - Machinery

/// A server that answers each request with the same page.
private struct OnePage: AuthenticatedAccessible {
    let page: MutableProperty<StatusPage>

    func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer { [page] () -> Result<Response, CoreError> in
            (page.value as? Response).map { .success($0) } ?? .failure(.cancelled)
        }
    }
}

/// A server that answers a renaming when the test says so, and nothing else.
private struct RenamingServer: AuthenticatedAccessible {
    let renames = Stub<Void, Account, CoreError>()

    func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        request is CredentialsUpdate ? renames().map { $0 as? Response }.skipNil() : .empty
    }
}
