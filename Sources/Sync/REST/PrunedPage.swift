import Feedback
import Foundation
import JSON
import Networking
import Persistence

/// Reads a page of a list, and finds out which objects its resource has left out since they do not decode.
struct PrunedPage<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let schema: Schema<Object>

    /// Performs a request for a page.
    func read<Page, Auth: Authentication>(
        _ resource: BackendResource<Void, Page, Auth>, with access: any ResourceAccess<Auth>,
        objects: (Page) -> [Object]
    ) async throws(CoreError) -> (page: Page, answer: ReadableAnswer<Object>) {
        let skipped = Locked<(body: Data, elements: [SkippedElement])>((Data(), []))
        var resource = resource
        resource.response = { [response = resource.response] body, answer in
            Parser.observingSkips { element in
                skipped.withLock { $0.elements.append(element) }
            } during: {
                skipped.withLock { $0 = (body, []) }
                return response(body, answer)
            }
        }
        let page = try await access.perform(resource)
        let (body, elements) = skipped.withLock(\.self)
        var answer = ReadableAnswer(objects: objects(page))
        if !elements.isEmpty { answer.leftOut = try leftOut(elements, of: body, besides: answer.objects) }
        return (page, answer)
    }

    /// Returns the objects that were left out. Throws if the id of one cannot be read: it could not be told from an object
    /// that was deleted.
    func leftOut(
        _ elements: [SkippedElement], of body: Data, besides objects: [Object]
    ) throws(CoreError) -> [UnreadableObject] {
        let known = Set(objects.map(\.id.primitiveValue))
        do {
            return try JSONIndex.read(body) { root in
                var lists: [String: [JSONNode]] = [:]
                return try elements.compactMap { element in
                    let ids = ids(on: element.path, in: root, &lists)
                    guard let id = ids.first?.id, let text = id.postgresText else { throw unknown(element) }
                    // An object is there, and a list in it was pruned.
                    if known.contains(id) { return nil }
                    return UnreadableObject(
                        table: schema.name, objectID: text, column: ids[0].rest, found: element.reason)
                }
            }
        } catch let error as CoreError {
            throw error
        } catch {
            throw .parsing(ParsingFailure(error, in: body))
        }
    }

    private func unknown(_ element: SkippedElement) -> CoreError {
        .parsing(
            ParsingFailure(
                path: element.path,
                reason:
                    "an object of \(schema.name) was left out, and its \(schema.id.name) cannot be read: \(element.reason)"
            ))
    }

    /// Returns the ids of the elements of lists on a path such as `books[2].pages`, each with the rest of the path, the
    /// outermost first.
    private func ids(
        on path: String, in root: JSONNode, _ lists: inout [String: [JSONNode]]
    ) -> [(id: PrimitiveValue, rest: String)] {
        var ids: [(id: PrimitiveValue, rest: String)] = []
        var (node, rest) = (Optional(root), Substring(path))
        while let place = node, !rest.isEmpty {
            if rest.first == "[" {
                let list = String(path[..<rest.startIndex])
                let elements = lists[list] ?? Array(place.elements)
                lists[list] = elements
                let number = Int(rest.dropFirst().prefix { $0 != "]" })
                rest = rest.drop { $0 != "]" }.dropFirst()
                node = number.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                if let id = node?[schema.id.name].flatMap({ PrimitiveValue($0.scalar, kind: schema.id.attribute.kind) }
                ),
                    id != .null
                {
                    ids.append((id, String(rest.drop { $0 == "." })))
                }
            } else {
                if rest.first == ".", rest.startIndex > path.startIndex { rest.removeFirst() }
                let key = key(at: rest, of: place)
                rest = rest[key.endIndex...]
                node = place[String(key)]
            }
        }
        return ids
    }

    /// Returns the key with which the rest of a path begins: the longest one of the object, as a key may have the signs that
    /// separate keys in it.
    private func key(at rest: Substring, of object: JSONNode) -> Substring {
        let key = rest.prefix { $0 != "." && $0 != "[" }
        if key.endIndex == rest.endIndex { return key }
        let keys = object.members.map(\.key).filter {
            rest.hasPrefix($0) && [nil, ".", "["].contains(rest.dropFirst($0.count).first)
        }
        return keys.max { $0.utf8.count < $1.utf8.count }.map { rest.prefix($0.count) } ?? key
    }
}
