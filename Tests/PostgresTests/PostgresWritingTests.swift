import Persistence
import Postgres
import Testing

@Suite("Writing objects to PostgreSQL")
struct PostgresWritingTests {
    @Test("The object that is missing is named, wherever it is among those to be updated", arguments: 0..<3)
    func missing(place: Int) throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert((0..<3).map { .fixture(id: $0) }).get()
        var changed = (0..<3).map { Film.fixture(id: $0, title: "changed") }
        changed[place].id = 7
        #expect(throws: StoreError.missing(id: "7")) { try films.update(changed).get() }
        try films.perform { films throws(StoreError) in
            for id in 3...4 {
                try films.insert([.fixture(id: id)])
                do throws(StoreError) {
                    try films.update(changed)
                } catch {
                    #expect(error == .missing(id: "7"))
                }
            }
        }
        #expect(try films.sorted(by: \.id).result().get() == (0..<5).map { .fixture(id: $0) })
    }
}
