import Feedback
import Foundation
import Persistence
import Testing

// AddressSanitizer gets each large block of memory from the system, which takes longer than the rest.
@Suite(
    "The cost of transactions in memory", .onOwnThread, .enabled(if: dlsym(nil, "__asan_init") == nil))
struct MemoryCostTests {
    private func notes(_ count: Int) -> [Note] { (0..<count).map { Note(id: "\($0)", text: "\($0)") } }

    @Test("A transaction does not copy the unique values of all objects")
    func uniqueValues() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        func time(_ count: Int) throws -> Double {
            let store = MemoryStore(schema)
            try store.insert(notes(count)).get()
            return try leastProcessorTime(of: 20) { () throws(StoreError) in
                try store.perform { notes throws(StoreError) in try notes.update([Note(id: "7", text: "7")]) }
            }
        }
        // A hundred times as many objects.
        #expect(try time(30_000) < 10 * time(300))
    }

    @Test("A step of an observed transaction does not copy the changes of the steps before it")
    func steps() throws {
        let store = MemoryStore(Note.schema)
        let all = notes(50_000)
        try store.insert(all).get()
        let observed = Observed(store.filter(where: \.text == "new"))
        let (first, last) = try store.perform { notes throws(StoreError) in
            func time() throws(StoreError) -> Double {
                try leastProcessorTime(of: 20) { () throws(StoreError) in
                    try notes.update([Note(id: "7", text: "new"), Note(id: "8", text: "new")])
                }
            }
            let first = try time()
            try notes.update(all)
            return (first, try time())
        }
        #expect(last < 10 * first)
        #expect(observed.emissions.all.map(\.count) == [0, 2])
    }

    @Test("A step that fails takes nothing away from what the steps before it tell")
    func failedStep() throws {
        let store = MemoryStore(Note.schema)
        try store.insert(notes(2)).get()
        let observed = Observed(store.filter(where: \.id == "new"))
        try store.perform { store throws(StoreError) in
            try store.insert([Note(id: "new", text: "")])
            #expect(throws: StoreError.missing(id: "x")) {
                try store.update([Note(id: "0", text: "new"), Note(id: "x", text: "")])
            }
            try store.update([Note(id: "1", text: "new")])
        }
        #expect(observed.emissions.all.map { $0.map(\.id) } == [[], ["new"]])
    }
}
