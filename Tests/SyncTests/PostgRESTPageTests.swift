import Persistence
import Testing

@testable import Sync

/// Pages of notes. A page is written as the ids of its rows; those below zero are of rows that cannot be read.
struct PostgRESTPageTests {
    private static let pages = [
        [], [1], [-1], [1, 2], [-1, 2], [1, -2], [-1, -2, 3], [1, -2, 3, 4, -5], [1, -2, -3, 4, -5, -6],
    ]

    private func page(_ ids: [Int]) -> PostgRESTPage<Note> {
        PostgRESTPage(
            objects: ids.filter { $0 > 0 }.map { Note(id: $0, title: $0, body: 0, version: 0) },
            unreadable: ids.enumerated().filter { $0.element < 0 }.map { index, id in
                let values: [PrimitiveValue?] = [.integer(Int64(-id)), .integer(7), nil, .null]
                return UnreadableRow(index: index, values: values, object: .note(-id))
            })
    }

    private func ids(_ page: PostgRESTPage<Note>) -> [Int] {
        var objects = page.objects.map(\.id)[...]
        return (0..<page.count).map { index in
            let row = page.unreadable.first { $0.index == index }
            return row?.id.flatMap(Int.init(primitiveValue:)).map { -$0 } ?? objects.popFirst() ?? 0
        }
    }

    @Test("A page knows the place of each row, also of those that cannot be read", arguments: pages)
    func places(_ all: [Int]) {
        let page = page(all)
        #expect(ids(page) == all)
        #expect(page.firstID == all.first.map { abs($0).primitiveValue })
        for (index, id) in all.enumerated() { #expect(page.index(of: abs(id).primitiveValue) == index) }
        #expect(page.index(of: 99.primitiveValue) == nil)
    }

    @Test("Without its first rows, a page has the others in their order", arguments: pages)
    func withoutFirst(_ all: [Int]) {
        for count in 0...all.count { #expect(ids(page(all).dropFirst(count)) == Array(all.dropFirst(count))) }
    }

    @Test("Without a row, a page has the others in their order", arguments: pages)
    func without(_ all: [Int]) {
        for id in all { #expect(ids(page(all).removing(abs(id).primitiveValue)) == all.filter { $0 != id }) }
        #expect(ids(page(all).removing(99.primitiveValue)) == all)
    }

    @Test("The next page begins after the last row whose columns can be read", arguments: pages)
    func last(_ all: [Int]) {
        let attributes = Note.schema.columns.map(\.attribute)
        let (page, schema) = (page(all), Note.schema)
        #expect(page.last([attributes[0]], in: schema) == all.last.map { [abs($0).primitiveValue] })
        // The row that cannot be read has no body, and its version is null, which a version cannot be.
        let readable = all.last { $0 > 0 }.map { [$0.primitiveValue, 0.primitiveValue] }
        #expect(page.last([attributes[0], attributes[2]], in: schema) == readable)
        #expect(page.last([attributes[0], attributes[3]], in: schema) == readable)
        let title = all.last.map { [($0 < 0 ? 7 : $0).primitiveValue] }
        #expect(page.last([attributes[1]], in: schema) == title)
    }
}

extension UnreadableObject {
    fileprivate static func note(_ id: Int) -> UnreadableObject {
        UnreadableObject(table: "notes", objectID: "\(id)", column: "body", found: "a list")
    }
}
