import Foundation
import Persistence
import Testing

@testable import demo

struct ServedDatabaseTests {
    @Test(
        "A PostgreSQL server that cannot be used is told in a sentence, without the password",
        arguments: [
            "postgresql://anna:secret@/films?host=/nonexistent", "postgresql://anna:sec/ret@h/films",
            "postgresql://anna:secret@127.0.0.1:1/films",
        ])
    func unusable(_ address: String) {
        let error = #expect(throws: StoreError.self) { try ServedDatabase(.server(address)) }
        let text = error?.description ?? ""
        #expect(text.hasSuffix(".") && !text.contains("secret") && !text.contains("ret@"), "\(text)")
    }

    @Test("Data is kept in the file that is named")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "served-\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try ServedDatabase(.file(file)).store(of: Note.schema) is SQLiteStore<Note>)
        #expect(FileManager.default.fileExists(atPath: file.path(percentEncoded: false)))
    }
}

private struct Note: Identifiable, Sendable {
    var id: String

    static let schema = Schema<Note>("notes", Note.init, Column("id", \.id))
}
