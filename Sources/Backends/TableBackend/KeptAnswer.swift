import Foundation
import LocalBackend
import Persistence

/// The answer to a write that had an idempotency key, kept for a week in the database that the write changed. A request
/// that is repeated after that is performed again.
public struct KeptAnswer: Identifiable, Sendable {
    /// The method and the key of the request, and the name of the table.
    public let id: String
    /// The time of the answer.
    public let time: Date
    let status: Int
    /// The header fields, one on each line.
    let headers: String
    let body: Data

    /// The table of the answers.
    public static let schema = Schema<KeptAnswer>(
        "kept_answers", { KeptAnswer(id: $0, time: $1, status: $2, headers: $3, body: $4) },
        Column("id", \.id), Column("time", \.time, isIndexed: true), Column("status", \.status),
        Column("headers", \.headers), Column("body", \.body))

    /// The number of bytes that a key may have. It is kept with the answer, and PostgreSQL's indexes take no long text.
    static let longestKey = 255

    /// The time in seconds after which an answer is deleted.
    static let lifetime: TimeInterval = 7 * 86_400
}

/// The place in a transaction for the answer to a request with a key.
struct AnswerPlace {
    let key: String
    let answers: any StoreTransaction<AnyStore<KeptAnswer>>

    /// Returns the stored answer, if the request was performed before.
    func answer() throws(StoreError) -> LocalBackend.Response? {
        guard let kept = try answers.object(withId: key) else { return nil }
        var headers: LocalBackend.Headers = [:]
        for line in kept.headers.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2 { headers.add(parts[0], parts[1]) }
        }
        return LocalBackend.Response(status: kept.status, headers: headers, body: .data(kept.body))
    }

    /// Stores the answer, and deletes those whose time is over.
    func keep(_ response: LocalBackend.Response) throws(StoreError) {
        try answers.delete(where: \.time < .now - KeptAnswer.lifetime)
        guard case .data(let body) = response.body else { return }
        let headers = response.headers.fields.map { "\($0.name):\($0.value)" }.joined(separator: "\n")
        try answers.insert([
            KeptAnswer(id: key, time: .now, status: response.status, headers: headers, body: body)
        ])
    }
}
