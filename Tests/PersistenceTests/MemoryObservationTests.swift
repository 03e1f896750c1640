import Persistence
import Testing

@Suite("Observed queries of a store in memory without a schema")
struct MemoryObservationTests {
    private struct Word: Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }

    private struct Sound: Identifiable, Sendable {
        var id: Int
        var text: String
    }

    @Test("An answer is told if one of its objects has changed, and not if all are equal to those told before")
    func equatable() throws {
        let words = MemoryStore(id: \Word.id)
        let told = Observed(words.all())
        try words.insert([Word(id: 1, text: "a"), Word(id: 2, text: "b")]).get()
        try words.upsert([Word(id: 1, text: "a"), Word(id: 2, text: "b")]).get()
        try words.update(Word(id: 2, text: "c")).get()
        try words.update(Word(id: 2, text: "c")).get()
        #expect(told.emissions.all.map { $0.map(\.text) } == [[], ["a", "b"], ["a", "c"]])
    }

    @Test("If the objects cannot be compared, an answer is told after each change that concerns it")
    func notEquatable() throws {
        let sounds = MemoryStore(id: \Sound.id)
        let told = Observed(sounds.filter(where: \.text != "x"))
        try sounds.insert(Sound(id: 1, text: "a")).get()
        try sounds.update(Sound(id: 1, text: "a")).get()
        try sounds.insert(Sound(id: 2, text: "x")).get()
        #expect(told.emissions.all.map { $0.map(\.text) } == [[], ["a"], ["a"]])
    }
}
