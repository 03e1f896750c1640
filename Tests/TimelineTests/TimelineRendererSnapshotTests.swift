import FeedbackTesting
import Fixtures
import Networking
import Persistence
import Presentation
import Testing

@testable import Timeline

struct TimelineRendererSnapshotTests {
    private let bo = Account.fixture(
        id: "2", handle: "bo@far.example", displayName: "Bo", note: HTMLText(html: "<p>Bakes &amp; reads.</p>"),
        statusesCount: 7)

    private var statuses: [Status] {
        [
            .fixture(
                id: "30", html: "<p>Fish &amp; chips<br>at six, down by the old harbour wall</p>", favouritesCount: 3,
                isFavourite: true),
            .fixture(
                id: "20", html: "", account: bo, reblog: .fixture(id: "5", html: "<p>Repeated</p>", reblogsCount: 2)),
            .fixture(id: "10", account: bo),
        ]
    }

    // MARK: - Home

    private func home(_ change: (inout HomeViewModel.State) -> Void) -> Screen<HomeViewModel.Action> {
        var state = HomeViewModel.State()
        change(&state)
        return HomeRenderer().render(state)
    }

    @Test("The first load, nothing, and a failure")
    func homeWithoutStatuses() {
        expectSnapshot(of: home { _ in }, named: "home-loading")
        expectSnapshot(
            of: home {
                $0.timeline = .fixture([])
                $0.requests.refreshing = .done
            }, named: "home-empty")
        expectSnapshot(of: home { $0.requests.refreshing = .failed(.fixture(), number: 1) }, named: "home-failure")
    }

    @Test("Statuses with a gap, the place where the person was, and a refusal")
    func homeWithStatuses() {
        let screen = home {
            $0.timeline = .fixture(statuses, next: "10", gapAfter: "30")
            $0.requests.refreshing = .done
            $0.place = "20"
            $0.requests.leftOut = 2
            $0.requests.refusal = Refusal(StatusAct(.favourite, true, "10"), .fixture())
        }
        expectSnapshot(of: screen, named: "home-statuses")
    }

    @Test("While a gap is filled, another cannot be, and its button says so")
    func twoGaps() {
        var list = EntityList(["10"])
        list.prepend(["20"], hasMore: true)
        list.prepend(["30"], hasMore: true)
        let screen = home {
            $0.timeline = CachedList(list: list, entities: statuses)
            $0.requests.refreshing = .done
            $0.gap = "30"
            $0.filling = .underWay()
        }
        #expect(
            screen.rows.contains(.button("Load what is missing here", isEnabled: false, action: .fillGap(after: "20"))))
        #expect(screen.progress.map(\.label) == ["Loading what is missing"])
    }

    @Test("A page that failed cannot be tried again after a refresh has brought the end of the list")
    func endAfterFailure() {
        let screen = home {
            $0.timeline = .fixture(statuses, next: nil)
            $0.requests.refreshing = .done
            $0.requests.loadingOlder = .failed(.fixture(), number: 1)
        }
        #expect(screen.errors.isEmpty)
    }

    // MARK: - Status

    @Test("A status with its thread")
    func status() {
        var state = StatusViewModel.State(id: "30")
        state.requests.refreshing = .done
        state.thread = StatusThread(
            status: statuses[0], ancestors: [statuses[2]], descendants: [.fixture(id: "40", html: "<p>Yes</p>")])
        expectSnapshot(of: StatusRenderer().render(state), named: "status")
    }

    // MARK: - Profile

    @Test("A first page on which nothing could be read leads to the next one", arguments: [nil, "10"])
    func unreadablePage(next: String?) {
        var state = ProfileViewModel.State(id: "2", isOwn: false)
        state.profile = Profile(account: bo, timeline: .fixture([], next: next))
        state.requests.refreshing = .done
        let profile = ProfileRenderer().render(state).rows
        let home = home {
            $0.timeline = .fixture([], next: next)
            $0.requests.refreshing = .done
        }.rows
        #expect(profile.contains(.text("There are no statuses yet.")) == (next == nil))
        #expect(home.contains(.text("There are no statuses yet.")) == (next == nil))
        #expect(profile.contains(.button("Older", key: .control("o"), action: .loadOlder)) == (next != nil))
        #expect(home.contains(.button("Older", key: "o", action: .loadOlder)) == (next != nil))
    }

    @Test("The own profile, while it is renamed")
    func profile() {
        var state = ProfileViewModel.State(id: "2", isOwn: true)
        state.profile = Profile(account: bo, timeline: .fixture([statuses[2]], next: "10"))
        state.requests.refreshing = .done
        state.newName = "Bob"
        expectSnapshot(of: ProfileRenderer().render(state), named: "profile-own")
        state.renaming = .underWay()
        expectSnapshot(of: ProfileRenderer().render(state), named: "profile-renaming")
    }
}
