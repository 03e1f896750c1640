import Foundation
import Networking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension CoreError {
    /// A web page came in place of a server's answer. A network that wants a login answers so for every server, with
    /// the status 200, and so do some proxies while a server is maintained.
    ///
    /// A resource fails with it if it is one of `refusingWebPages`. An outbox sends the write again later.
    public static var webPage: CoreError { .parsing(ParsingFailure(reason: WebPage.reason)) }

    /// `true` if the error is ``webPage``, also if a session has added the beginning of the page to its reason.
    public var isWebPage: Bool {
        if case let .parsing(failure) = self { failure.reason.hasPrefix(WebPage.reason) } else { false }
    }
}

extension BackendResource {
    /// This resource, which fails with `CoreError.webPage` if the answer is a web page.
    ///
    /// An answer is a web page if its body begins as one, and its type is that of a page, or says nothing.
    public var refusingWebPages: BackendResource {
        var resource = self
        resource.response = { [response] body, answer in
            let type = (answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
            return WebPage.isAnswer(body, type: type) ? .failure(.webPage) : response(body, answer)
        }
        return resource
    }
}

/// The signs of a web page in place of a server's answer.
enum WebPage {
    static let reason = "the answer is a web page, perhaps of a network that wants a login; open it in a browser"

    /// Returns true if an answer is a web page: if its body begins as one, and its type is that of a page, or says
    /// nothing. Some servers call each answer a page, also an empty one.
    ///
    /// - Parameter type: The `Content-Type` of the answer.
    static func isAnswer(_ body: Data, type: String?) -> Bool {
        let type = type?.lowercased() ?? ""
        let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]  // With the byte order mark.
        guard let start = body.firstIndex(where: { !blank.contains($0) }), body[start] == UInt8(ascii: "<") else {
            return false
        }
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml") { return true }
        guard type.isEmpty || type.hasPrefix("text/plain") || type.hasPrefix("application/octet-stream") else {
            return false
        }
        let words = String(decoding: body[start...].prefix(14), as: UTF8.self).lowercased()
        return words.hasPrefix("<!doctype html") || words.hasPrefix("<html")
    }
}
