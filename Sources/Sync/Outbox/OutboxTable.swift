import Foundation
import Persistence

/// The server's side of an outbox: a table to which writes are sent one by one.
public protocol OutboxTable<Object>: Sendable {
    /// The type of the objects.
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    /// `true` if the server performs writes with the same key only once.
    var remembersKeys: Bool { get }

    /// Sends a write.
    ///
    /// The server performs it only if its object meets the write's ``OutboxWrite/expectations``. If the server does not
    /// answer with the object, and it is read later, the answer must be ``OutboxAnswer/conflict(_:)`` if the object
    /// differs from what the write has made. An answer with an object that has another id is a refusal: the client chooses
    /// the ids.
    func send(_ write: OutboxWrite<Object>, key: UUID) async -> OutboxAnswer<Object>
}
