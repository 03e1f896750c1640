import Fixtures
import Movies
import Testing

struct MovieFormTests {
    @Test("A form is read as the movie that it was made of")
    func roundTrip() {
        #expect(MovieForm(.fixture()).movie(withId: .fixture(1)) == .fixture())
        #expect(MovieForm(.fixture(genre: .comedy)).movie(withId: .fixture(1)) == .fixture(genre: .comedy))
        let plain = Movie.fixture(year: nil, score: nil, tagline: nil)
        #expect(MovieForm(plain).movie(withId: .fixture(1)) == plain)
    }

    @Test("Blanks around a text do not count")
    func blanks() {
        let form = MovieForm.fixture(title: "  Amélie\n", budget: " 10000000 ", year: "", score: " ", tagline: " ")
        #expect(form.movie(withId: .fixture(1)) == .fixture(year: nil, score: nil, tagline: nil))
    }

    @Test(
        "Entries that cannot be right are told, and make no movie",
        arguments: [
            (.title, ""), (.title, " "), (.title, "a\nb"),
            (.title, String(repeating: "a", count: 1_001)), (.tagline, String(repeating: "ä", count: 1_001)),
            (.budget, ""), (.budget, "ten"), (.budget, "-1"),
            (.budget, "1,00"), (.budget, "1,0000"), (.budget, ",100"), (.budget, "1.5"), (.budget, "٣"),
            (.budget, "99999999999999999999"), (.year, "1887"), (.year, "2101"), (.year, "year"), (.score, "10.1"),
            (.score, "-1"), (.score, "nan"), (.score, "good"),
        ] as [(MovieForm.Field, String)])
    func problems(field: MovieForm.Field, text: String) {
        var form = MovieForm.fixture()
        form[field] = text
        #expect(form.problem(in: field) != nil)
        #expect(form.movie(withId: .fixture(1)) == nil)
    }

    @Test(
        "A budget may have commas between its thousands",
        arguments: [("0", 0), ("1,000", 1_000), ("12,345,678", 12_345_678)])
    func budget(text: String, budget: Int) {
        #expect(MovieForm.fixture(budget: text).movie(withId: .fixture(1))?.budget == budget)
    }
}
