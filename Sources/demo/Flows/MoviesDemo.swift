import Feedback
import Foundation
import LocalBackend
import Movies
import MoviesBackend
import Persistence
import Presentation
import TableBackend

/// Searches the movies, adds one and changes it, and continues without the network.
final class MoviesDemo: DemoFlow {
    let feature = DemoFeature(
        name: "movies", summary: "search and change movies, also without the network", keepsData: true,
        servesKeptData: true, canUseOutbox: true)

    /// The backend on this machine, whose network can be cut; `nil` if the demo uses another backend.
    private let backend = Locked<LocalBackend?>(nil)

    /// The flow with an outbox that runs now.
    private let run = Locked(Weak<MoviesRun>())

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        if materials.usesOutbox {
            let run = MoviesRun(materials, networkCut: networkCut(materials, on: screens), on: screens)
            self.run.withLock { $0.object = run }
            return run
        }
        do throws(StoreError) {
            let database = try SQLiteDatabase(.at(materials.database))
            return MoviesFlowController(
                try MoviesBuilder(
                    accessible: materials.session, database: database, now: materials.now, makeID: materials.makeID),
                on: screens)
        } catch {
            return DeadEnd(title: "Movies", reason: "\(error)", on: screens)
        }
    }

    private func networkCut(_ materials: DemoMaterials, on screens: ScreenStack) -> NetworkCut? {
        guard let acts = materials.offlineActs, let backend = backend.withLock({ $0 }) else { return nil }
        return NetworkCut(during: acts, of: backend, at: MoviesBackend.path, on: screens)
    }

    var source: FlowSource {
        FlowSource(
            imports: ["Movies", "Persistence"],
            lines: [
                "let database = try SQLiteDatabase(.memory)",
                "let builder = try MoviesBuilder(",
                "    accessible: session, database: database, now: { now }, makeID: { ids.next() })",
                "let flow = MoviesFlowController(builder, on: screens)",
            ])
    }

    func play(_ person: ScriptedPerson) async throws {
        try await person.sees("The first 20 movies.")
        try await person.uses("More")
        try await person.sees("24 movies in all.")
        try await person.uses("PG-13")
        try await person.uses("The dearest first")
        try await person.sees("The Dark Knight")
        try await person.uses("Any rating")
        try await person.uses("science fiction")
        try await person.uses("Until 1959")
        try await person.sees("Metropolis")
        try await person.uses("Any genre")
        try await person.uses("Any year")
        try await person.types("THE ", into: "Title")
        try await person.sees("The Third Man")

        try await person.uses("Add a movie")
        try await person.types("ten", into: "Budget in dollars")
        try await person.uses("Save")
        try await person.sees("What is it called?")
        try await person.types("The Trial, \"Le procès\"", into: "Title")
        try await person.types("1,300,000", into: "Budget in dollars")
        try await person.types("1962", into: "Year")
        try await person.uses("Save", times: 2)
        try await person.sees("is saved.")
        try await person.uses("Done")
        try await person.sees("The Trial, \"Le procès\"")
        try await person.uses("The Trial, \"Le procès\"")
        try await person.uses("Edit")
        try await person.types("7.6", into: "Score")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.sees("7.6 of 10")
        try await person.uses("Back")
        try await person.uses("The Third Man")
        try await person.uses("Delete")
        try await person.uses("Delete it")
        try await person.sees("7.6 of 10")

        if let backend = backend.withLock({ $0 }) {
            run.withLock { $0.object }?.endNetworkCut()
            try await waitUntilSent(person)
            backend.misbehave(.drop, at: MoviesBackend.path)
            try await person.uses("Refresh")
            try await person.sees("This is the copy on this machine")
            try await person.sees("7.6 of 10")
            if let run = run.withLock({ $0.object }) { try await useOutbox(of: run, backend, person) }
            backend.behave()
            if run.withLock({ $0.object }) == nil { try await person.uses("Ask the server again") }
            try await person.sees("7.6 of 10")
        }
        try await person.uses("Leave")
    }

    /// Makes changes without the network, ends the flow and starts it again, and corrects the change that the server
    /// refuses.
    private func useOutbox(of run: MoviesRun, _ backend: LocalBackend, _ person: ScriptedPerson) async throws {
        try await changeOffline(person)
        run.restart()
        try await person.types("THE ", into: "Title")
        try await person.sees("The Stranger")
        try await person.sees("3 changes to be sent")
        backend.behave()
        try await person.sees("The server has refused a change")
        try await correctRefusedMovie(person)
        try await person.sees("$1,400,000")
        try await waitUntilSent(person)
    }

    /// Makes three changes that wait for the network, one of which the server will refuse.
    private func changeOffline(_ person: ScriptedPerson) async throws {
        try await person.uses("Add a movie")
        try await person.types("The Stranger", into: "Title")
        try await person.types("1,034,000", into: "Budget in dollars")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.uses("The Stranger")
        try await person.uses("Edit")
        try await person.types("1946", into: "Year")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.uses("Back")
        try await person.uses("The Trial, \"Le procès\"")
        try await person.uses("Edit")
        try await person.types("900,000,000", into: "Budget in dollars")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.uses("Back")
        try await person.sees("3 changes to be sent")
    }

    /// Waits until all changes are sent.
    private func waitUntilSent(_ person: ScriptedPerson) async throws {
        try await person.doesNotSee("has refused")
        try await person.doesNotSee("to be sent")
    }

    /// Changes the movie of the refused change to one that the server takes.
    private func correctRefusedMovie(_ person: ScriptedPerson) async throws {
        try await person.uses("The Trial, \"Le procès\"")
        try await person.uses("Edit")
        try await person.types("1,400,000", into: "Budget in dollars")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.uses("Back")
    }
}

/// A weak reference: the database is closed when the flow is released, so the demo must not keep the flow.
private struct Weak<Object: AnyObject & Sendable>: Sendable {
    weak var object: Object?
}

// MARK: - Backend

extension MoviesDemo {
    func serve(on backend: LocalBackend) {}

    func serve(on backend: LocalBackend, keepingDataIn place: ServedDatabase.Place) throws {
        self.backend.withLock { $0 = backend }
        let database = try ServedDatabase(place)
        let movies = try MoviesBackend(
            store: database.store(of: Movie.schema), answers: database.store(of: KeptAnswer.schema))
        movies.serve(on: backend)
    }
}
