import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A web page in place of a server's answer. A network that wants a login answers so for every server, with the status
/// 200, and so do some proxies while a server is maintained.
enum WebPage {
    static let reason = "the answer is a web page, perhaps of a network that wants a login; open it in a browser"

    /// Returns true if a successful answer is a web page: if its body begins as one, and its type is that of a page, or
    /// says nothing. Some servers call each answer a page, also an empty one.
    static func isAnswer(_ body: Data, _ response: URLResponse) -> Bool {
        let type = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
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
