import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// The sources of answers, and the errors that make another one necessary.
struct SourcedTests {
    @Test("Answers together are as old as the oldest one, and its age is unknown if that of one is")
    func joined() {
        let (early, late) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
        func local(_ date: Date?, _ reason: String = "a") -> AnswerSource {
            .local(staleSince: date, because: .unreachable(reason: reason))
        }
        #expect(AnswerSource.remote.joined(with: .remote) == .remote)
        #expect(AnswerSource.remote.joined(with: local(early)) == local(early))
        #expect(local(early).joined(with: .remote) == local(early))
        #expect(local(early).joined(with: local(late, "b")) == local(early, "b"))
        #expect(local(late).joined(with: local(early, "b")) == local(early, "b"))
        #expect(local(nil).joined(with: local(early)) == local(nil))
        #expect(local(early).joined(with: local(nil)) == local(nil))
    }

    @Test("A value that is mapped has the same source")
    func map() {
        let source = AnswerSource.local(staleSince: nil, because: .cancelled)
        let mirror = MirrorStatus.behind(changes: 2, because: .cancelled)
        let mapped = Sourced(3, source: source, mirror: mirror).map { "\($0)" }
        #expect(mapped == Sourced("3", source: source, mirror: mirror))
    }

    @Test(
        "A server that fails or wants to be left alone is not reached, and other refusals are final",
        arguments: [
            (408, .unreachable(reason: "no")), (429, .unreachable(reason: "no")), (500, .unreachable(reason: "no")),
            (503, .unreachable(reason: "no")), (409, .constraint(reason: "no")), (400, .refused(reason: "no")),
            (404, .refused(reason: "no")), (499, .refused(reason: "no")),
        ] as [(Int, StoreError)])
    func status(code: Int, error: StoreError) {
        #expect(StoreError(.status(StatusFailure(code: code)), reason: "no.") == error)
    }

    @Test("A lost network and a web page are not the server, and a cancelled request has not failed")
    func otherErrors() {
        #expect(StoreError(.network(NetworkFailure(.offline)), reason: "no") == .unreachable(reason: "no"))
        #expect(StoreError(.webPage, reason: "no") == .unreachable(reason: WebPage.reason))
        #expect(StoreError(.cancelled, reason: "no") == .cancelled)
        #expect(StoreError(.parsing(ParsingFailure(reason: "x")), reason: "no") == .refused(reason: "no"))
    }

    @Test("A conflict is left to a person if an object is missing, or if the write may be the cause of the change")
    func usualResolution() {
        func outcome(
            mine: Int? = 1, theirs: Int? = 2, columns: [String] = ["title"], isInsertion: Bool = false,
            isUncertain: Bool = false
        ) -> ConflictEvent.Outcome {
            let conflict = WriteConflict(
                id: 1, mine: mine.map { Note(id: 1, title: $0, body: 0, version: 0) },
                theirs: theirs.map { Note(id: 1, title: $0, body: 0, version: 0) }, columns: columns,
                isInsertion: isInsertion, isUncertain: isUncertain)
            return ConflictEvent.Outcome(conflict.usualResolution)
        }
        #expect(outcome() == .keptMine)
        #expect(outcome(columns: []) == .keptMine && outcome(columns: [], isUncertain: true) == .keptMine)
        #expect(outcome(mine: nil) == .asked && outcome(theirs: nil) == .asked)
        #expect(outcome(isInsertion: true) == .asked && outcome(isUncertain: true) == .asked)
    }
}
