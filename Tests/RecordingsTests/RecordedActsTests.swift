import Foundation
import Presentation
import Testing

@testable import Recordings

@Suite("The acts of a recorded test")
struct RecordedActsTests {
    private func model(_ number: Int, _ name: String) -> Recording.Entry {
        .model(.init(model: number, name: name, isScreen: true, state: [.init(path: "text", text: "empty")]))
    }

    private func event(_ text: String, source: String = "sent") -> Recording.Entry {
        let changed = [ValueLines.Line(path: "text", text: text)]
        return .event(.init(model: 1, event: ".event", source: source, changed: changed, removed: []))
    }

    /// Returns the lines of the source that act, and those that expect the text of the model.
    private func lines(_ entries: [Recording.Entry]) -> [String] {
        let run = Recording.Run(
            features: [], time: .distantPast, seed: 1, services: [:], entries: [model(1, "Form")] + entries)
        let source = RecordedTest(of: run, name: "Form", imports: [], flow: []).source
        return source.split(separator: "\n").compactMap { line in
            if let act = line.firstRange(of: "person.") { return String(line[act.upperBound...]) }
            return line.contains("  text: ") ? line.trimmingCharacters(in: .whitespaces) : nil
        }
    }

    @Test("Edits of one field are one act if the feature does nothing but take them")
    func edits() {
        let edits: [Recording.Entry] = ["T", "TH", "THE"].flatMap { [.act(.types($0, into: "Title")), event($0)] }
        #expect(lines(edits) == ["text: empty", #"types("THE", into: "Title")"#, "text: THE"])
    }

    @Test("Edits between which the feature has sent an event are acts of their own, and so is what follows them")
    func answeredEdits() {
        let entries: [Recording.Entry] = [
            .act(.types("T", into: "Title")), event("T"), event("1", source: "search"), event("2"),
            .act(.types("TH", into: "Title")), event("TH"), .act(.types("THE", into: "Title")), event("THE"),
        ]
        #expect(
            lines(entries) == [
                "text: empty", #"types("T", into: "Title")"#, "text: 2", #"types("THE", into: "Title")"#, "text: THE",
            ])
    }

    @Test("Edits while the screen is busy are one act, also if the feature has sent events between them")
    func busyEdits() {
        let entries: [Recording.Entry] = [
            .act(.types("T", into: "Title")), event("1", source: "search"),
            .act(.types("TH", into: "Title"), whileBusy: true), event("TH"),
            .act(.types("THE", into: "Title")), event("THE"),
        ]
        #expect(lines(entries) == ["text: empty", #"types("THE", into: "Title")"#, "text: THE"])
    }

    @Test("Edits of two fields are two acts, also if the fields have one name")
    func twoFields() {
        let entries: [Recording.Entry] = [
            .act(.types("a", into: "Title")), event("a"), .act(.types("b", into: "Title", place: 1)), event("b"),
            .act(.types("c", into: "Name")), event("c"),
        ]
        #expect(
            lines(entries) == [
                "text: empty", #"types("a", into: "Title")"#, "text: a", #"types("b", into: "Title", number: 1)"#,
                "text: b", #"types("c", into: "Name")"#, "text: c",
            ])
    }

    @Test("A control that is used again is one act only while the screen is busy, and another control never is")
    func repeatedUse() {
        let again: [Recording.Entry] = [.act(.uses("More")), event("1"), .act(.uses("More")), event("2")]
        #expect(lines(again) == ["text: empty", #"uses("More")"#, "text: 1", #"uses("More")"#, "text: 2"])
        let busy: [Recording.Entry] = [
            .act(.uses("More")), .act(.uses("More"), whileBusy: true), .act(.uses("More"), whileBusy: true),
            .act(.uses("More", place: 1), whileBusy: true), .act(.uses("Less"), whileBusy: true), event("1"),
        ]
        #expect(
            lines(busy) == [
                "text: empty", #"uses("More", times: 3)"#, #"uses("More", number: 1)"#, #"uses("Less")"#, "text: 1",
            ])
    }

    @Test("Models of one name are told apart by their numbers, in the order in which they began")
    func names() {
        let entries = [model(2, "Form"), model(3, "Former"), model(4, "Form")]
        let run = Recording.Run(
            features: [], time: .distantPast, seed: 1, services: [:], entries: [model(1, "Form")] + entries)
        let source = RecordedTest(of: run, name: "Form", imports: [], flow: []).source
        let names = source.split(separator: "\n").filter { $0.hasSuffix(" begins") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(names == ["Form begins", "Form 2 begins", "Former begins", "Form 3 begins"])
    }
}
