import Foundation
import Networking

/// Reads and writes files of canned JSON.
enum CannedFile {
    static func answers(in folder: URL) throws(CannedError) -> [CannedAnswer] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        else {
            throw CannedError(
                "There is no folder of canned answers at \(folder.path(percentEncoded: false)). Check its path.")
        }
        var answers: [CannedAnswer] = []
        let files = names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }
        // `queue` comes before `queue.2`, and that before `queue.10`.
        for name in files.sorted(by: { $0.compare($1, options: .numeric) == .orderedAscending }) {
            answers.append(try answer(in: folder.appending(path: "\(name).json")))
        }
        return answers
    }

    static func answer(in file: URL) throws(CannedError) -> CannedAnswer {
        let name = file.lastPathComponent
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw CannedError("\(name) cannot be read. \(error.localizedDescription)")
        }
        let fields = try Fields(
            try JSONText(data, name: name), of: "\(name)", known: ["request", "response", "failure"])
        guard let request = try fields.object("request", known: ["method", "path", "query"]),
            let path: String = try request.value("path")
        else {
            throw CannedError(
                "\(name) does not say which request it answers. Add \"request\": { \"path\": \"/…\" }. Or, if it is the "
                    + "body of an answer, move it into a folder below.")
        }
        var answer = CannedAnswer(
            HTTPMethod(rawValue: try request.value("method") ?? "GET"), path, query: try query(request, in: name))
        answer.source = name
        if let failure = try fields.object("failure", known: ["reason", "code", "url", "detail"]) {
            guard fields["response"] == nil else {
                throw CannedError("\(name) has a response and a failure. Give one of them.")
            }
            answer.outcome = .failure(.network(try networkFailure(failure, in: name)))
        } else {
            answer.outcome = try outcome(fields, in: file)
        }
        return answer
    }

    /// Returns the file for an answer, indented and in the same order each time. Throws a ``CannedError`` for a failure
    /// that is not of the network: without a field for it, it would be read as a success.
    static func data(for answer: CannedAnswer) throws -> Data {
        var members = [("method", quoted(answer.method.rawValue)), ("path", quoted(answer.path))]
        if !answer.query.isEmpty { members.append(("query", query(answer.query))) }
        var file = [("request", object(members))]
        switch answer.outcome {
        case .response(let status, let headers, let body):
            var response = [("status", "\(status)")]
            if !headers.isEmpty { response.append(("headers", object(headers.map { ($0.name, quoted($0.value)) }))) }
            if body.isEmpty {
            } else if let json = try? JSONText(body, name: "The body") {
                response.append(("body", String(decoding: json.compact, as: UTF8.self)))
            } else if let text = String(validating: body, as: UTF8.self) {
                response.append(("text", quoted(text)))
            } else {
                response.append(("base64", quoted(body.base64EncodedString())))
            }
            file.append(("response", object(response)))
        case .failure(.network(let failure)):
            var members = [("reason", quoted(failure.reason.name))]
            if let code = failure.reason.code { members.append(("code", "\(code)")) }
            members += [("url", failure.url), ("detail", failure.detail)].filter { !$0.1.isEmpty }
                .map { ($0.0, quoted($0.1)) }
            file.append(("failure", object(members)))
        case .failure(let error):
            throw CannedError(
                "A file cannot hold the failure of \(answer.method) \(answer.path), which is not of the network. \(error)"
            )
        }
        return try JSONText(Data(object(file).utf8), name: "The file").indented() + Data("\n".utf8)
    }

    /// Returns the query as it is written in a file.
    static func query(_ items: [URLQueryItem]) -> String {
        let names = items.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return object(
            names.map { name in
                let values = items.filter { $0.name == name }.map { quoted($0.value ?? "") }
                return (name, values.count == 1 ? values[0] : "[\(values.joined(separator: ","))]")
            })
    }

    // MARK: - Machinery

    private static func object(_ members: [(String, String)]) -> String {
        "{\(members.map { "\(quoted($0)):\($1)" }.joined(separator: ","))}"
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONText.quoted(text), as: UTF8.self)
    }

    private static func query(_ request: Fields, in name: String) throws(CannedError) -> [URLQueryItem] {
        guard let text = request["query"] else { return [] }
        guard let members = text.members else { throw CannedError("The query in \(name) is not an object.") }
        var query: [URLQueryItem] = []
        for (key, value) in members {
            if let text: String = value.value() {
                query.append(URLQueryItem(name: key, value: text))
            } else if let texts: [String] = value.value() {
                query += texts.map { URLQueryItem(name: key, value: $0) }
            } else {
                throw CannedError("The query item \"\(key)\" in \(name) is neither a string nor a list of strings.")
            }
        }
        return query
    }

    private static func outcome(_ fields: Fields, in file: URL) throws(CannedError) -> CannedAnswer.Outcome {
        let name = file.lastPathComponent
        let bodies = ["body", "text", "base64", "file"]
        guard let response = try fields.object("response", known: ["status", "headers"] + bodies) else {
            return .response(status: 200, headers: [:], body: Data())
        }
        let given = bodies.filter { response[$0] != nil }
        guard given.count <= 1 else {
            throw CannedError("The response in \(name) has \(given.joined(separator: " and ")). Give one of them.")
        }
        var headers = HTTPHeaders(try response.value("headers") ?? [String: String]())
        var body = Data()
        if let text: String = try response.value("text") {
            body = Data(text.utf8)
        } else if let base64: String = try response.value("base64") {
            guard let data = Data(base64Encoded: base64) else {
                throw CannedError("The base64 in \(name) is not valid Base64.")
            }
            body = data
        } else if let path: String = try response.value("file") {
            body = try content(of: path, beside: file)
        } else if let json = response["body"] {
            body = json.compact
            if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        }
        return .response(status: try response.value("status") ?? 200, headers: headers, body: body)
    }

    private static func networkFailure(_ fields: Fields, in name: String) throws(CannedError) -> NetworkFailure {
        let text: String = try fields.value("reason") ?? ""
        guard let reason = NetworkFailure.Reason(name: text, code: try fields.value("code") ?? 0) else {
            throw CannedError(
                (text.isEmpty
                    ? "The failure in \(name) has no reason."
                    : "The failure in \(name) has an unknown reason, \"\(text)\".")
                    + " Give one of these: \(NetworkFailure.Reason.names.joined(separator: ", ")).")
        }
        return NetworkFailure(reason, url: try fields.value("url") ?? "", detail: try fields.value("detail") ?? "")
    }

    /// Returns the content of a file that holds a body, in the folder of the canned answers or below.
    private static func content(of path: String, beside file: URL) throws(CannedError) -> Data {
        let name = file.lastPathComponent
        guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
            throw CannedError("The file \"\(path)\" that \(name) names is not in its folder.")
        }
        do {
            return try Data(contentsOf: file.deletingLastPathComponent().appending(path: path))
        } catch {
            throw CannedError("The file \"\(path)\" that \(name) names cannot be read. \(error.localizedDescription)")
        }
    }
}

/// The members of an object; names that are not known are an error.
private struct Fields {
    private let place: String
    private let members: [(name: String, value: JSONText)]

    init(_ text: JSONText, of place: String, known: [String]) throws(CannedError) {
        guard let members = text.members else { throw CannedError("\(place) is not an object.") }
        for (name, _) in members where !known.contains(name) {
            throw CannedError(
                "\(place) has an unknown field \"\(name)\". Its fields can be \(known.joined(separator: ", ")).")
        }
        self.place = place
        self.members = members
    }

    subscript(name: String) -> JSONText? { members.last { $0.name == name }?.value }

    func object(_ name: String, known: [String]) throws(CannedError) -> Fields? {
        guard let text = self[name] else { return nil }
        return try Fields(text, of: "The \(name) in \(place)", known: known)
    }

    func value(_ name: String) throws(CannedError) -> String? { try value(name, "a string") }

    func value(_ name: String) throws(CannedError) -> Int? { try value(name, "a whole number") }

    func value(_ name: String) throws(CannedError) -> [String: String]? { try value(name, "an object of strings") }

    private func value<Value: Decodable>(_ name: String, _ kind: String) throws(CannedError) -> Value? {
        guard let text = self[name] else { return nil }
        guard let value: Value = text.value() else {
            throw CannedError("\(place) has a \"\(name)\" that is not \(kind).")
        }
        return value
    }
}

/// The reason why a folder of canned answers cannot be used.
public struct CannedError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
