import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A web page in place of a server's answer. A network that wants a login answers so for every server, with the status
/// 200, and so do some proxies while a server is maintained.
enum WebPage {
    static let reason = "the answer is a web page, perhaps of a network that wants a login; open it in a browser"

    /// Returns true if a successful answer is a web page: if it says so, and its body begins as one. Some servers call each
    /// answer a page, also an empty one.
    static func isAnswer(_ body: Data, _ response: URLResponse) -> Bool {
        let type = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        guard type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml") else { return false }
        let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]  // With the byte order mark.
        return body.first { !blank.contains($0) } == UInt8(ascii: "<")
    }
}
