import FeedbackTesting
import Fixtures
import Sync
import Testing

@testable import Movies

extension MoviesViewModelTests {
    @Test("A change that failed is shown until the next change")
    func refusal() {
        let tester = tester(loaded())

        let refusal = MovieRefusal(of: .deletion, .fixture(), .fixture())
        stub.refusal.value = refusal
        tester.receive(.didChangeRefusal(refusal)) { $0.refusal = refusal }
        stub.refusal.value = nil
        tester.receive(.didChangeRefusal(nil)) { $0.refusal = nil }
        tester.finish()
    }

    @Test(
        "A change that failed is asked for again, once however often the button is pressed, and may fail again",
        arguments: [MovieRefusal.Change.addition, .alteration(of: .fixture(title: "Alien")), .deletion])
    func changeAgain(change: MovieRefusal.Change) {
        let movie = Movie.fixture(title: "Aliens")
        let refusal = MovieRefusal(of: change, movie, .fixture())
        let tester = tester(loaded())
        tester.send(.ui(.changeAgain))
        for fails in [true, false] {
            stub.refusal.value = refusal
            tester.receive(.didChangeRefusal(refusal)) { $0.refusal = refusal }
            tester.send(.ui(.changeAgain)) { ($0.repeatedChange, $0.refusal) = (refusal, nil) }
            tester.send(.ui(.changeAgain))
            switch change {
            case .addition:
                #expect(stub.additions.inputs.last == movie)
                fails ? stub.additions.fail(.fixture()) : stub.additions.answer(Sourced(movie))
            case let .alteration(original):
                #expect(stub.alterations.inputs.last == .init(movie: movie, original: original))
                fails ? stub.alterations.fail(.fixture()) : stub.alterations.answer(Sourced(movie))
            case .deletion:
                #expect(stub.deletions.inputs.last == movie)
                fails ? stub.deletions.fail(.fixture()) : stub.deletions.answer(Sourced(()))
            }
            tester.receive(.didChangeAgain) { $0.repeatedChange = nil }
        }
        #expect(stub.additions.callCount + stub.alterations.callCount + stub.deletions.callCount == 2)
        tester.finish()
    }

    @Test("Changes while movies are loaded do not cancel that; the list is loaded once more when it has ended")
    func changes() {
        let tester = tester()

        for _ in 1...3 {
            stub.change()
            tester.receive(.didChange) { $0.isOutdated = true }
        }
        #expect(stub.pages.callCount == 1)
        stub.pages.answer(.fixture())
        tester.receive(.didLoad(.fixture())) {
            $0.movies = [.fixture()]
            $0.isOutdated = false
            $0.page = .again(count: 1)
        }
        #expect(stub.pages.callCount == 2)
        stub.pages.answer(.fixture([second]))
        tester.receive(.didLoad(.fixture([second]))) {
            $0.movies = [second]
            $0.loading = .done
        }
        #expect(stub.pages.callCount == 2)
        tester.finish()
    }

    @Test("If movies change while a page is loaded, the list is loaded again, also if the page fails")
    func changeBeforeFailure() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.loadMore)) {
            $0.page = .after(.fixture())
            $0.loading = .underWay()
        }
        stub.change()
        tester.receive(.didChange) { $0.isOutdated = true }
        for page in 1...2 {
            stub.pages.fail(.fixture())
            tester.receive(.didFail(.fixture())) {
                $0.page = .again(count: 1)
                $0.isOutdated = false
            }
            #expect(stub.pages.inputs.last == .init(count: 1))
            #expect(stub.pages.callCount == page + 1)
            stub.change()
            tester.receive(.didChange) { $0.isOutdated = true }
        }
        tester.skipTheRest()
    }

    @Test("After a change all movies that were shown are loaded again, and not only the first page")
    func place() {
        let tester = tester(loaded([.fixture(), second], hasMore: true))

        stub.change()
        tester.receive(.didChange) {
            $0.page = .again(count: 2)
            $0.loading = .underWay()
        }
        #expect(stub.pages.inputs == [.init(count: 2)])
        stub.change()
        tester.receive(.didChange) { $0.isOutdated = true }
        stub.pages.answer(.fixture([second, .fixture()]))
        tester.receive(.didLoad(.fixture([second, .fixture()]))) {
            $0.movies = [second, .fixture()]
            $0.hasMore = false
            $0.isOutdated = false
        }
        // It is the same request, sent again.
        #expect(stub.pages.inputs == [.init(count: 2), .init(count: 2)])
        tester.skipTheRest()
    }

    @Test("After a failed refresh the old movies are not continued, so that the error stays")
    func failedRefresh() {
        let tester = tester(loaded(hasMore: true))

        tester.send(.ui(.refresh)) { $0.loading = .underWay() }
        stub.pages.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), number: 1) }
        tester.send(.ui(.loadMore))
        #expect(stub.pages.callCount == 1)
        tester.finish()
    }

    @Test("Changes between the making of the screen and its start are shown")
    func lateStart() {
        let viewModel = MoviesViewModel(businessController: stub)
        let initial = viewModel.initial
        stub.status.value = SyncStatus(waiting: 2)
        let tester = LoopTester(viewModel, initial: initial)
        tester.receive(.didSync(SyncStatus(waiting: 2))) { $0.sync = SyncStatus(waiting: 2) }
        tester.skipTheRest()
    }
}
