import FeedbackTesting
import Fixtures
import Foundation
import Persistence
import Presentation
import Sync
import Testing

@testable import Quakes

struct QuakesRendererSnapshotTests {
    private let renderer = QuakesRenderer()

    @Test("The quakes of the day are a list and a map, with the chosen one marked")
    func loaded() {
        var state = state()
        state.chosenId = Quake.xxlarge.id
        expectSnapshot(of: renderer.render(state), named: "quakes")
    }

    @Test("The chosen quake can be deleted only while it is shown")
    func hiddenChoice() {
        var state = state()
        state.chosenId = Quake.xxlarge.id
        let canDelete = { (state: QuakesViewModel.State) in
            renderer.render(state).actions.first { $0.title == "Delete" }?.isEnabled
        }
        #expect(canDelete(state) == true)
        state.change { $0.searchText = "san jose" }
        #expect(canDelete(state) == false)
        state.change { $0.searchText = "" }
        state.change { $0.day = $0.day.next }
        #expect(canDelete(state) == false)
    }

    @Test("A narrow terminal has a small map")
    func narrow() {
        expectSnapshot(of: renderer.render(state()), width: 40, named: "quakes-narrow")
    }

    @Test("A search shows what it finds")
    func search() {
        var state = state()
        state.change { $0.searchText = "san jose" }
        expectSnapshot(of: renderer.render(state), named: "quakes-search")
    }

    @Test("While the database is read nothing can be refreshed")
    func reading() {
        expectSnapshot(of: renderer.render(state(QuakeCatalog(), reading: .underWay())), named: "quakes-reading")
    }

    @Test("Without quakes the screen says what to do")
    func empty() {
        expectSnapshot(of: renderer.render(state(QuakeCatalog())), named: "quakes-empty")
    }

    @Test("Failures are shown, and can be tried again")
    func failed() {
        var state = state()
        state.refreshing = .failed(.fixture(), number: 2)
        state.failedDeletion = .init(
            deletion: .all, error: .store(.full(file: "quakes.sqlite")))
        state.leftOut = 3
        expectSnapshot(of: renderer.render(state), named: "quakes-failed")
    }

    @Test("Control characters in names do not reach the terminal")
    func hostile() {
        let quake = Quake.fixture(name: "\u{1B}[2J\u{202E}San\nJosé", longitude: 180, latitude: -90)
        let unnamed = Quake.fixture(quakeId: "2", magnitude: 9.96, name: "", longitude: -180, latitude: 90)
        expectSnapshot(of: renderer.render(state(QuakeCatalog([quake, unnamed]))), named: "quakes-hostile")
    }

    private func state(
        _ catalog: QuakeCatalog = QuakeCatalog(Quake.samples), reading: Attempt<DataError> = .done
    ) -> QuakesViewModel.State {
        var state = QuakesViewModel.State(day: QuakeDay(of: .quakeFixture, in: QuakesExpectations.calendar()))
        state.reading = reading
        state.catalog.setTruth(catalog)
        state.select()
        return state
    }
}
