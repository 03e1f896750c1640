import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A web page in place of a server's answer. A network that wants a login answers so for every server, with the status
/// 200, and so do some proxies while a server is maintained.
enum WebPage {
    static let reason = "the answer is a web page, perhaps of a network that wants a login; open it in a browser"

    /// Returns true if a successful answer is a web page.
    static func isAnswer(_ response: URLResponse) -> Bool {
        let type = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml")
    }
}
