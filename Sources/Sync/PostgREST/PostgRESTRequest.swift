import Foundation
import Networking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request to a table in PostgREST's dialect, independent of the type of the rows.
struct PostgRESTRequest: Equatable, Sendable {
    var method: HTTPMethod
    var query: [URLQueryItem] = []
    var headers: HTTPHeaders = [:]
    var body: Data?
}

// MARK: - Reading

extension PostgRESTRequest {
    static func fetch(_ query: PostgRESTQuery) -> PostgRESTRequest {
        PostgRESTRequest(method: .GET, query: query.items)
    }

    /// Makes a request for the number of rows; the answer has no body.
    static func count(_ condition: PostgRESTCondition, key: String) -> PostgRESTRequest {
        PostgRESTRequest(
            method: .HEAD, query: PostgRESTQuery(key: key, condition: condition, columns: [key]).items,
            headers: ["Prefer": "count=exact"])
    }
}

// MARK: - Writing

extension PostgRESTRequest {
    static func insert(_ rows: Data) -> PostgRESTRequest {
        PostgRESTRequest(method: .POST, headers: ["Prefer": "return=representation"], body: rows)
    }

    static func upsert(_ rows: Data) -> PostgRESTRequest {
        PostgRESTRequest(
            method: .POST, headers: ["Prefer": "return=representation,resolution=merge-duplicates"], body: rows)
    }

    /// Makes a request that replaces the row of which the condition is true. The answer has the new row, or none if
    /// there was none.
    static func update(_ condition: PostgRESTCondition, to row: Data, key: String) -> PostgRESTRequest {
        PostgRESTRequest(
            method: .PATCH, query: condition.items(key: key), headers: ["Prefer": "return=representation"], body: row)
    }

    /// Makes a request that deletes the rows of which the condition is true. The answer has no body, and says how many
    /// there were.
    static func delete(_ condition: PostgRESTCondition, key: String) -> PostgRESTRequest {
        // A server may refuse to delete without a filter.
        let condition = condition == .always ? .test(key, "not.is", .word("null")) : condition
        return PostgRESTRequest(
            method: .DELETE, query: condition.items(key: key), headers: ["Prefer": "return=minimal,count=exact"])
    }
}

// MARK: - Performing

extension PostgRESTRequest {
    func resource<Auth>(at path: ResourcePath) -> BackendResource<Void, PostgRESTAnswer, Auth> {
        let response: BackendResource<Void, PostgRESTAnswer, Auth>.ResponseHandler = { body, response in
            let range = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Range")
            return .success(PostgRESTAnswer(body: body, contentRange: range ?? ""))
        }
        var resource = BackendResource<Void, PostgRESTAnswer, Auth>(
            path: path, method: method, query: query, headers: headers, response: response)
        if let body { resource.request = { _, _ in .success(body) } }
        return resource.refusingWebPages
    }
}

/// The answer to a request, before its rows are read.
struct PostgRESTAnswer: Equatable, Sendable {
    let body: Data
    let contentRange: String

    /// The number after the slash in `Content-Range: 0-24/3573458`.
    var total: Result<Int, CoreError> {
        guard let slash = contentRange.lastIndex(of: "/"),
            let total = Int(contentRange[contentRange.index(after: slash)...])
        else {
            let reason = "The header field Content-Range does not say how many rows there are: \"\(contentRange)\""
            return .failure(.parsing(ParsingFailure(reason: reason)))
        }
        return .success(total)
    }
}
