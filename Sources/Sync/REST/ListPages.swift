import Feedback
import Foundation
import Networking
import Persistence

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads the pages of a list, one after the other, until there is no next one.
struct ListPages<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let schema: Schema<Object>
    /// The name of the list, for errors.
    var name: String { schema.name }

    /// The greatest number of pages of a list, so that a server without an end is noticed.
    static var maximumCount: Int { 1_000 }

    /// - Parameter read: Reads the page at a place, which is `nil` for the first one, and returns the place of the next
    ///   one, which is `nil` if there is none.
    func readAll<Place: Hashable>(
        _ read: (Place?) async throws(CoreError) -> (answer: ReadableAnswer<Object>, next: Place?)
    ) async throws(StoreError) -> ReadableAnswer<Object> {
        var answer = ReadableAnswer<Object>(objects: [])
        var places: Set<Place> = []
        var place: Place?
        repeat {
            let page: (answer: ReadableAnswer<Object>, next: Place?)
            do throws(CoreError) { page = try await read(place) } catch { throw StoreError(error) }
            answer.objects += page.answer.objects
            answer.leftOut += page.answer.leftOut
            place = page.next
            guard place.map({ places.insert($0).inserted }) ?? true else {
                throw .refused(reason: "a page of \(name) leads to a page that was read before, so the list has no end")
            }
            guard place == nil || places.count < Self.maximumCount else {
                throw .refused(
                    reason: "\(name) has more than \(Self.maximumCount) pages; let the server send larger ones")
            }
        } while place != nil
        return answer
    }
}

extension Sequence where Element: Identifiable {
    /// The last element with each id, in any order. An object that moves to a later page while the pages are read is in
    /// two of them.
    var lastOfEachID: [Element] {
        Array(Dictionary(map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }).values)
    }
}

extension ListPages {
    /// Reads a list whose pages link to the next one in the header field `Link` (RFC 8288).
    func readAll<Auth: Authentication>(
        _ resource: BackendResource<Void, [Object], Auth>, with access: any ResourceAccess<Auth>
    ) async throws(StoreError) -> ReadableAnswer<Object> {
        try await readAll { (url: URL?) async throws(CoreError) in
            let next = Locked<URL?>(nil)
            var page = resource.fromServer
            if let url { (page.path, page.query) = (.absolute(url), []) }
            page.response = { [response = page.response, name] body, answer in
                do throws(CoreError) {
                    let url = try answer.nextPage(of: name)
                    next.withLock { $0 = url }
                    return response(body, answer)
                } catch {
                    return .failure(error)
                }
            }
            let answer = try await PrunedPage(schema: schema).read(page, with: access, objects: \.self).answer
            return (answer, next.withLock(\.self))
        }
    }
}

extension URLResponse {
    /// Returns the address of the next page, `nil` if there is none. It must be on the same server, which alone may get
    /// the header fields of the request.
    fileprivate func nextPage(of name: String) throws(CoreError) -> URL? {
        guard let link = LinkHeader(self)["next"] else { return nil }
        guard let page = url, let next = URL(string: link.url, relativeTo: page)?.absoluteURL,
            let origin = Origin(next), origin == Origin(page)
        else {
            throw .parsing(
                ParsingFailure(reason: "the next page of \(name) is not an address of the same server: \(link.url)"))
        }
        return next
    }
}
