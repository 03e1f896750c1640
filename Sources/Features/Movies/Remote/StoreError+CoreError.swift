import Foundation
import Networking
import Persistence

extension StoreError {
    /// What a failed request means to who asks a store.
    init(_ error: CoreError) {
        switch error {
        case let .status(failure):
            let message: PostgRESTMessage? = failure.body()
            if failure.code == 409 || message?.code == "23505" {
                self = .duplicate(id: message?.duplicateID ?? "it has")
            } else if failure.code >= 500 || failure.code == 408 || failure.code == 429 {
                self = .unreachable(reason: Self.clause(message?.text ?? "\(failure)"))
            } else {
                self = .refused(reason: Self.clause(message?.text ?? "\(failure)"))
            }
        case .network: self = .unreachable(reason: Self.clause("\(error)"))
        case .cancelled: self = .cancelled(reason: "the request was")
        case .request, .encoding, .parsing, .authentication: self = .refused(reason: Self.clause("\(error)"))
        }
    }

    /// A sentence as a part of another one.
    private static func clause(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}

/// The body with which PostgREST says what was wrong.
private struct PostgRESTMessage: Decodable {
    let code: String?
    let message: String
    let details: String?
    let hint: String?

    var text: String {
        ([message] + [details, hint].compactMap { $0 }.filter { !$0.isEmpty }).joined(separator: "; ")
            + (code.map { " (\($0))" } ?? "")
    }

    /// The id in `Key (id)=(…) already exists.`
    var duplicateID: String? {
        guard let details, let start = details.firstRange(of: "(id)=(")?.upperBound,
            let end = details[start...].firstIndex(of: ")")
        else { return nil }
        return String(details[start..<end])
    }
}
