import Foundation
import Networking

/// A file of canned JSON, read and written.
enum CannedFile {
    static func answers(in folder: URL) throws(CannedError) -> [CannedAnswer] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        else {
            throw CannedError("There is no folder of canned answers at \(folder.path(percentEncoded: false)).")
        }
        var answers: [CannedAnswer] = []
        for name in names.sorted() where name.hasSuffix(".json") {
            answers.append(try answer(in: folder.appending(path: name)))
        }
        return answers
    }

    static func answer(in file: URL) throws(CannedError) -> CannedAnswer {
        let name = file.lastPathComponent
        let content: Any
        do {
            content = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        } catch {
            throw CannedError("\(name) cannot be read as JSON: \(error)")
        }
        guard let file = content as? [String: Any], let request = file["request"] as? [String: Any],
            let path = request["path"] as? String
        else { throw CannedError("\(name) has no path at \"request\": { \"path\": … }.") }
        let method = HTTPMethod(rawValue: request["method"] as? String ?? "GET")
        var answer = CannedAnswer(method, path, query: try query(request["query"], in: name))
        answer.source = name
        answer.outcome = try outcome(file["response"] as? [String: Any] ?? [:], in: name)
        return answer
    }

    /// The file for an answer, readable and in the same order each time.
    static func data(for answer: CannedAnswer) throws -> Data {
        var request: [String: Any] = ["method": answer.method.rawValue, "path": answer.path]
        if !answer.query.isEmpty {
            request["query"] = Dictionary(grouping: answer.query, by: \.name).mapValues { items -> Any in
                let values = items.map { $0.value ?? "" }
                return values.count == 1 ? values[0] : values
            }
        }
        var file: [String: Any] = ["request": request]
        if case .response(let status, let headers, let body) = answer.outcome {
            var response: [String: Any] = ["status": status]
            response["headers"] = Dictionary(
                headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            if body.isEmpty {
            } else if let json = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) {
                response["body"] = json
            } else if let text = String(validating: body, as: UTF8.self) {
                response["text"] = text
            } else {
                response["base64"] = body.base64EncodedString()
            }
            file["response"] = response
        }
        return try JSONSerialization.data(
            withJSONObject: file, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    // MARK: - Machinery

    private static func query(_ value: Any?, in name: String) throws(CannedError) -> [URLQueryItem] {
        guard let value else { return [] }
        guard let items = value as? [String: Any] else { throw CannedError("The query in \(name) is no object.") }
        var query: [URLQueryItem] = []
        for (key, value) in items.sorted(by: { $0.key < $1.key }) {
            switch value {
            case let text as String: query.append(URLQueryItem(name: key, value: text))
            case let texts as [String]: query += texts.map { URLQueryItem(name: key, value: $0) }
            default: throw CannedError("The query item \"\(key)\" in \(name) is neither a string nor a list of them.")
            }
        }
        return query
    }

    private static func outcome(_ response: [String: Any], in name: String) throws(CannedError) -> CannedAnswer.Outcome
    {
        let body: Data
        var headers = HTTPHeaders(response["headers"] as? [String: String] ?? [:])
        if let text = response["text"] as? String {
            body = Data(text.utf8)
        } else if let base64 = response["base64"] as? String {
            guard let data = Data(base64Encoded: base64) else { throw CannedError("The base64 in \(name) is none.") }
            body = data
        } else if let json = response["body"] {
            let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys]
            do {
                body = try JSONSerialization.data(withJSONObject: json, options: options)
            } catch {
                throw CannedError("The body in \(name) cannot be written as JSON: \(error)")
            }
            if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        } else {
            body = Data()
        }
        return .response(status: response["status"] as? Int ?? 200, headers: headers, body: body)
    }
}

/// What is wrong with a folder of canned answers.
public struct CannedError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
