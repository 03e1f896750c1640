import Foundation
import Networking
import Persistence
import Sync
import Testing

/// The public pieces of a table that a user writes.
struct OutboxTableTests {
    private let before = Book(id: 1, title: "Alien", pages: 300)
    private let after = Book(id: 1, title: "Aliens", pages: nil)

    @Test("A test can make writes; a write has the values that it changes")
    func values() {
        let write = OutboxWrite(changing: before, to: after, in: Book.schema, version: Attribute(\.version))
        #expect(write[\.title] == "Aliens")
        #expect(write[\.pages] == .some(nil))
        #expect(write[\.id] == nil)
        #expect(write.version == .integer(1))
        #expect(OutboxWrite(inserting: before, in: Book.schema)[\.pages] == 300)
        #expect(OutboxWrite(deleting: before, in: Book.schema).kind == .delete)
    }

    @Test("A write says if it can be done, and if it is done")
    func expectations() {
        let write = OutboxWrite(changing: before, to: after, in: Book.schema)
        #expect(write.isExpected(before) && !write.isDone(in: before))
        #expect(!write.isExpected(after) && write.isDone(in: after))
        #expect(OutboxWrite(deleting: before, in: Book.schema).isDone(in: nil))
    }

    private struct Visit: Identifiable, Sendable {
        var id: UUID
        var day: Date
        var rating: Rating

        static let schema = Schema<Visit>(
            "visits", { Visit(id: $0, day: $1, rating: $2) }, Column("id", \.id), Column("day", \.day),
            Column("rating", \.rating))
    }

    @Test("A write is the body of a PATCH: the changed columns, dates as the encoder writes them")
    func body() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .iso8601
        let write = OutboxWrite(changing: before, to: after, in: Book.schema)
        #expect(String(decoding: try encoder.encode(write), as: UTF8.self) == #"{"pages":null,"title":"Aliens"}"#)
        let visit = Visit(id: .fixture(1), day: Date(timeIntervalSince1970: 0), rating: .PG)
        let later = Visit(id: .fixture(1), day: Date(timeIntervalSince1970: 60), rating: .PG_13)
        let change = OutboxWrite(changing: visit, to: later, in: Visit.schema)
        #expect(
            String(decoding: try encoder.encode(change), as: UTF8.self)
                == #"{"day":"1970-01-01T00:01:00Z","rating":"PG-13"}"#)
    }

    private func meaning(_ error: CoreError, mayBeDone: Bool? = nil) -> String {
        switch OutboxAnswer<Book>(error, mayBeDone: mayBeDone) {
        case .accepted, .acceptedUnreadable: "accepted"
        case .unconfirmed: "unconfirmed"
        case .conflict: "conflict"
        case .refused: "refused"
        case let .busy(_, _, mayBeDone): "busy, may be done: \(mayBeDone)"
        case let .unreachable(_, mayBeDone): "unreachable, may be done: \(mayBeDone)"
        }
    }

    @Test("A failed request has one meaning for every table")
    func errors() {
        #expect(meaning(.network(NetworkFailure(.offline))) == "unreachable, may be done: false")
        #expect(meaning(.network(NetworkFailure(.timedOut))) == "unreachable, may be done: true")
        #expect(meaning(.network(NetworkFailure(.timedOut)), mayBeDone: false) == "unreachable, may be done: false")
        for reason in [NetworkFailure.Reason.cannotFindHost, .cannotConnect] {
            #expect(meaning(.network(NetworkFailure(reason))) == "unreachable, may be done: false")
        }
        #expect(meaning(.cancelled) == "unreachable, may be done: true")
        for code in [401, 407, 421, 425, 429] {
            #expect(meaning(.status(StatusFailure(code: code))) == "busy, may be done: false")
        }
        for code in [408, 500, 503, 599] {
            #expect(meaning(.status(StatusFailure(code: code))) == "busy, may be done: true")
        }
        #expect(meaning(.webPage) == "busy, may be done: true")
        for code in [400, 404, 422, 499] { #expect(meaning(.status(StatusFailure(code: code))) == "refused") }
        // The write was answered without an error, and the question after it was not.
        #expect(meaning(.status(StatusFailure(code: 403)), mayBeDone: true) == "unconfirmed")
        let unreadable = CoreError.parsing(ParsingFailure(reason: "no object"))
        #expect(meaning(unreadable) == "unconfirmed")
        #expect(meaning(unreadable, mayBeDone: true) == "unconfirmed")
        #expect(meaning(unreadable, mayBeDone: false) == "refused")
        #expect(StoreError(.webPage).description.hasPrefix("The store cannot be reached"))
    }

    @Test("The reason of an error may be a sentence with a full stop")
    func fullStop() {
        #expect("\(StoreError.refused(reason: "Changed my mind."))" == "The store refused: Changed my mind.")
        #expect("\(StoreError.refused(reason: "it is full"))" == "The store refused: it is full.")
    }
}
