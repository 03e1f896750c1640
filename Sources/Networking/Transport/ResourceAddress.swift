import Foundation

/// The address of a resource, equal for all spellings of its URL.
///
/// It does not depend on the case of scheme and host, on whether the scheme's own port is named, on whether an empty path
/// is written as `/`, or on the fragment, which is not sent.
struct ResourceAddress: Hashable {
    private let origin: Origin?
    /// The user, the password, the path and the query; of a URL without an origin, all of it.
    private let parts: [String?]

    init(_ url: URL) {
        origin = Origin(url)
        guard origin != nil else {
            parts = [url.absoluteString]
            return
        }
        let path = url.path(percentEncoded: true)
        parts = [
            url.user(percentEncoded: true), url.password(percentEncoded: true), path.isEmpty ? "/" : path,
            url.query(percentEncoded: true),
        ]
    }

    /// The number of bytes of its text.
    var size: Int { parts.reduce(origin?.host.utf8.count ?? 0) { $0 + ($1?.utf8.count ?? 0) } }
}
