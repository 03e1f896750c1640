import FeedbackTesting
import Fixtures
import Presentation
import Testing

@testable import Animals

struct AnimalsRendererSnapshotTests {
    // MARK: - The categories

    private func categories(
        _ change: (inout CategoryListViewModel.State) -> Void
    ) -> Screen<CategoryListViewModel.Action> {
        var state = CategoryListViewModel.State()
        change(&state)
        return CategoryListRenderer().render(state)
    }

    private let summaries = AnimalsData.sample.categories.enumerated().map { index, category in
        AnimalsLibrary.CategorySummary(category: category, count: index * 999)
    }

    @Test("The first load")
    func loading() {
        expectSnapshot(of: categories { $0.fetching = .underWay() }, named: "categories-loading")
    }

    @Test("Categories to choose from")
    func loaded() {
        expectSnapshot(
            of: categories {
                $0.categories = summaries
                $0.fetching = .done
            }, named: "categories-loaded")
    }

    @Test("A failed refresh and a second attempt to reload, above the list")
    func failed() {
        expectSnapshot(
            of: categories {
                $0.categories = summaries
                $0.fetching = .failed(.fixture(), number: 1)
                $0.reloading = .underWay(number: 2)
            }, named: "categories-failed")
    }

    @Test("No categories at all")
    func noCategories() {
        expectSnapshot(of: categories { $0.fetching = .done }, named: "categories-empty")
    }

    // MARK: - The animals

    private func animals(_ animals: [Animal]) -> Screen<AnimalListViewModel.Action> {
        var state = AnimalListViewModel.State(category: .fixture())
        state.animals = animals
        return AnimalListRenderer().render(state)
    }

    @Test("Animals to choose from")
    func list() {
        expectSnapshot(of: animals(AnimalsData.sample.animals), named: "animals")
    }

    @Test("A category without animals")
    func emptyList() {
        expectSnapshot(of: animals([]), named: "animals-empty")
    }

    @Test("Text from the server cannot control the terminal")
    func sanitizing() {
        expectSnapshot(of: animals([.fixture(name: "C\u{1B}[2Jat\r\n\u{7}")]), named: "animals-hostile")
    }

    // MARK: - The detail

    private func detail(
        _ change: (inout AnimalDetailViewModel.State) -> Void
    ) -> Screen<AnimalDetailViewModel.Action> {
        var state = AnimalDetailViewModel.State(animal: .fixture(diet: .omnivorous))
        state.categories = [.fixture(name: "Mammals")]
        change(&state)
        return AnimalDetailRenderer().render(state)
    }

    @Test("An animal")
    func detail() {
        expectSnapshot(of: detail { _ in }, named: "detail")
    }

    @Test("An animal whose deletion is to be confirmed")
    func confirming() {
        expectSnapshot(of: detail { $0.deletion.ask() }, named: "detail-confirming")
    }

    @Test("An animal that is being deleted")
    func deleting() {
        expectSnapshot(of: detail { $0.deletion.attempt = .underWay() }, named: "detail-deleting")
    }

    @Test("An animal that could not be deleted")
    func deletionFailed() {
        expectSnapshot(of: detail { $0.deletion.attempt = .failed(.fixture(), number: 1) }, named: "detail-failed")
    }

    @Test("An animal that is gone")
    func gone() {
        expectSnapshot(of: detail { $0.isGone = true }, named: "detail-gone")
    }

    // MARK: - The editor

    private func editor(
        _ subject: AnimalEditorViewModel.Subject, _ change: (inout AnimalEditorViewModel.State) -> Void = { _ in }
    ) -> Screen<AnimalEditorViewModel.Action> {
        var state = AnimalEditorViewModel.State(subject)
        state.categories = AnimalsData.sample.categories
        change(&state)
        return AnimalEditorRenderer().render(state)
    }

    @Test("A new animal with problems")
    func problems() {
        expectSnapshot(of: editor(.new(in: nil)) { $0.showsProblems = true }, named: "editor-problems")
    }

    @Test("An animal that is edited")
    func editing() {
        expectSnapshot(of: editor(.existing(.fixture())), named: "editor")
    }

    @Test("An animal that is being saved")
    func saving() {
        expectSnapshot(
            of: editor(.existing(.fixture())) { $0.saving = .underWay() }, named: "editor-saving")
    }

    @Test("An animal that could not be saved, as somebody else has deleted it")
    func savingFailed() {
        expectSnapshot(
            of: editor(.existing(.fixture())) { $0.saving = .failed(.unknownAnimal("Cat"), number: 1) },
            named: "editor-failed")
    }

    // MARK: - Purity

    @Test("The same state gives the same screen")
    func purity() {
        #expect(categories { $0.categories = summaries } == categories { $0.categories = summaries })
        #expect(animals([.fixture()]) == animals([.fixture()]))
        #expect(detail { _ in } == detail { _ in })
        #expect(editor(.new(in: nil)) == editor(.new(in: nil)))
    }
}
