import FeedbackTesting
import Fixtures
import Foundation
import Persistence
import Presentation
import Sync
import Testing

@testable import Movies

struct MoviesRendererSnapshotTests {
    private let since = Date(timeIntervalSinceReferenceDate: 86_400)

    // MARK: - One movie

    private func detail(_ change: (inout MovieDetailViewModel.State) -> Void) -> Screen<MovieDetailViewModel.Action> {
        var state = MovieDetailViewModel.State(id: .fixture(1), movie: .fixture(genre: .romance))
        state.loading = .done
        change(&state)
        return MovieDetailRenderer().render(state)
    }

    @Test("One movie, its deletion, and a movie that does not exist any more")
    func detail() {
        expectSnapshot(of: detail { _ in }, named: "detail")
        expectSnapshot(of: detail { $0.deletion.ask() }, named: "detail-confirming")
        expectSnapshot(of: detail { $0.deletion.attempt = .underWay() }, named: "detail-deleting")
        expectSnapshot(of: detail { $0.deletion.attempt = .failed(.fixture(), number: 1) }, named: "detail-failed")
        expectSnapshot(of: detail { $0.movie = nil }, named: "detail-gone")
        let local = detail { $0.origin = .local(staleSince: nil, because: .fixture()) }
        expectSnapshot(of: local, named: "detail-local")
    }

    // MARK: - The list

    private func movies(_ change: (inout MoviesViewModel.State) -> Void) -> Screen<MoviesViewModel.Action> {
        var state = MoviesViewModel.State()
        change(&state)
        return MoviesRenderer().render(state)
    }

    @Test("The first load")
    func loading() {
        expectSnapshot(of: movies { _ in }, named: "movies-loading")
    }

    @Test("Movies to choose from, of which there are more")
    func loaded() {
        let screen = movies {
            $0.movies = MoviesExpectations.movies
            $0.hasMore = true
            $0.selection = MovieSelection(title: "e", rating: .R, order: .score)
            $0.loading = .done
        }
        expectSnapshot(of: screen, named: "movies-loaded")
        expectSnapshot(of: screen, width: 40, named: "movies-loaded-narrow")
    }

    @Test("No movies at all, and none that matches")
    func empty() {
        expectSnapshot(of: movies { $0.loading = .done }, named: "movies-empty")
        let screen = movies {
            $0.selection.title = "zzz"
            $0.loading = .done
        }
        expectSnapshot(of: screen, named: "movies-none-found")
    }

    @Test("Without movies it does not matter in which order they are")
    func emptyInOrder() {
        let screen = movies {
            $0.selection.order = .newest
            $0.loading = .done
        }
        #expect(screen.rows.contains(.text("There are no movies yet.")))
    }

    @Test("A failed page beside the movies that were there")
    func failed() {
        let screen = movies {
            $0.movies = MoviesExpectations.movies
            $0.hasMore = true
            $0.page = .after(.fixture())
            $0.loading = .failed(.fixture(), number: 1)
        }
        expectSnapshot(of: screen, named: "movies-failed")
    }

    @Test(
        "A change that failed, with the movie and the reason",
        arguments: [
            (MovieRefusal.Change.addition, "“Alien” could not be added."),
            (.alteration(of: .fixture()), "The changes of “Alien” could not be saved."),
            (.deletion, "“Alien” could not be deleted."),
        ])
    func refused(change: MovieRefusal.Change, message: String) {
        let screen = movies {
            $0.loading = .done
            $0.refusal = MovieRefusal(of: change, .fixture(title: "Alien"), .fixture())
        }
        let notice = Screen.Row.notice(
            .error, "\(message) \(StoreError.fixture())", button: .tryAgain(MoviesViewModel.Action.changeAgain))
        #expect(screen.rows.contains(notice))
    }

    @Test(
        "A change that is asked for again shows as progress",
        arguments: [
            (MovieRefusal.Change.addition, "Adding “Alien”"),
            (.alteration(of: .fixture()), "Saving the changes of “Alien”"), (.deletion, "Deleting “Alien”"),
        ])
    func repeated(change: MovieRefusal.Change, activity: String) {
        let screen = movies {
            $0.loading = .done
            $0.repeatedChange = MovieRefusal(of: change, .fixture(title: "Alien"), .fixture())
        }
        #expect(screen.progress.map(\.label) == [activity])
    }

    @Test("The copy on this machine, with its age")
    func local() {
        let screen = movies {
            $0.movies = MoviesExpectations.movies
            $0.origin = .local(staleSince: since, because: .fixture())
            $0.loading = .done
        }
        expectSnapshot(of: screen, named: "movies-local")
    }

    @Test("The error of a change that was sent again is shown")
    func parkedFailure() {
        let screen = movies { $0.parkedFailure = .fixture() }
        #expect(screen.errors.contains { $0.message.contains("\(StoreError.fixture())") })
    }

    @Test("The part of the copy that is known")
    func known() {
        let screen = movies {
            $0.movies = [.fixture()]
            $0.origin = .local(staleSince: nil, because: .fixture())
            $0.mirror = .behind(changes: 2, because: .full(file: "movies.sqlite"))
            $0.loading = .done
        }
        expectSnapshot(of: screen, named: "movies-known")
    }

    // MARK: - The form

    private func editor(
        _ state: MovieEditorViewModel.State = .init(addingWithId: .fixture(1)),
        _ change: (inout MovieEditorViewModel.State) -> Void
    ) -> Screen<MovieEditorViewModel.Action> {
        var state = state
        change(&state)
        return MovieEditorRenderer().render(state)
    }

    @Test("An empty form, and the form of an existing movie")
    func form() {
        expectSnapshot(of: editor { _ in }, named: "editor-new")
        expectSnapshot(of: editor(.init(changing: .fixture())) { _ in }, named: "editor-change")
    }

    @Test("A form with problems")
    func problems() {
        let screen = editor {
            $0.form = .fixture(title: "", budget: "ten", year: "1700", score: "11")
            $0.showsProblems = true
        }
        expectSnapshot(of: screen, named: "editor-problems")
    }

    @Test("A movie that is being saved, and one that could not be")
    func saving() {
        let saving = editor {
            $0.form = .fixture()
            $0.saving = .underWay(number: 2)
        }
        expectSnapshot(of: saving, named: "editor-saving")
        let failed = editor {
            $0.form = .fixture()
            $0.saving = .failed(.fixture(), number: 2)
        }
        expectSnapshot(of: failed, named: "editor-failed")
    }

    @Test("The confirmation, also with a mirror that is behind")
    func confirmation() {
        expectSnapshot(of: editor { $0.saved = (Sourced(.fixture())) }, named: "editor-saved")
        let behind = editor {
            $0.saved = (Sourced(.fixture(), mirror: .behind(changes: 1, because: .full(file: "movies.sqlite"))))
        }
        expectSnapshot(of: behind, named: "editor-saved-behind")
    }

    // MARK: - Purity

    @Test("The same state gives the same screen")
    func purity() {
        #expect(movies { _ in } == movies { _ in })
        #expect(editor { $0.showsProblems = true } == editor { $0.showsProblems = true })
    }
}
