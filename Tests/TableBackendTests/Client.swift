import Foundation
import LocalBackend
import Persistence
import TableBackend
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client that has none of our types.
struct Client {
    struct Answer {
        let status: Int
        let range: String?
        let applied: String?
        let location: String?
        let type: String?
        let text: String
    }

    let url: URL
    var key: String?

    func send(
        _ method: String, _ target: String, _ body: String? = nil, prefer: String? = nil, range: String? = nil,
        accept: String? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: url.absoluteString + target)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.setValue(prefer, forHTTPHeaderField: "Prefer")
        request.setValue(range, forHTTPHeaderField: "Range")
        if let accept { request.setValue(accept, forHTTPHeaderField: "Accept") }
        request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        return Answer(
            status: answer.statusCode, range: answer.value(forHTTPHeaderField: "Content-Range"),
            applied: answer.value(forHTTPHeaderField: "Preference-Applied"),
            location: answer.value(forHTTPHeaderField: "Location"),
            type: answer.value(forHTTPHeaderField: "Content-Type"), text: String(decoding: data, as: UTF8.self))
    }
}

/// Serves a table of films to a client.
func withTable(_ body: (Client) async throws -> Void) async throws {
    try await withTable(of: Film.all, Film.schema, body)
}

/// Serves a table at the path of its name to a client; `make` makes it of its store.
func withTable<Object: Identifiable & Sendable>(
    of objects: [Object], _ schema: Schema<Object>,
    as make: ((SQLiteStore<Object>) -> Table<SQLiteStore<Object>>)? = nil, _ body: (Client) async throws -> Void
) async throws where Object.ID: Primitive {
    let store = try SQLiteStore(schema, in: SQLiteDatabase(.memory))
    try await store.insert(objects)
    let backend = LocalBackend()
    backend.serve(make?(store) ?? Table(store, schema), at: "/\(schema.name)")
    let client = Client(url: try await backend.start())
    do {
        try await body(client)
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}
