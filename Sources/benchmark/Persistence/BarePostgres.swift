#if POSTGRES
import CPostgres
import Foundation

/// The bare libpq: one connection, prepared statements, binary parameters and results.
// Unchecked, since each is used by one thread at a time.
final class BarePostgres: @unchecked Sendable {
    private let connection: OpaquePointer?

    init(_ address: String) {
        connection = PQconnectdb(address)
        prepare("insert", "INSERT INTO \"movies\" VALUES ($1, $2, $3, $4, $5, $6, $7)")
        prepare("all", "SELECT id, title, rating, budget, score, year, tagline FROM movies ORDER BY id")
        prepare("find", "SELECT id, title, rating, budget, score, year, tagline FROM movies WHERE id = $1")
    }

    deinit { PQfinish(connection) }

    private func prepare(_ name: String, _ text: String) { PQclear(PQprepare(connection, name, text, 0, nil)) }

    func execute(_ text: String) { PQclear(PQexec(connection, text)) }

    func insert(_ movies: [BenchmarkMovie]) {
        execute("BEGIN")
        for movie in movies {
            var bytes: [UInt8] = []
            var places: [(start: Int, count: Int)?] = []
            func add(_ text: String?) {
                guard let text else { return places.append(nil) }
                places.append((bytes.count, text.utf8.count))
                bytes += text.utf8
            }
            func add(_ number: UInt64?) {
                guard let number else { return places.append(nil) }
                places.append((bytes.count, 8))
                withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            }
            add(UInt64(bitPattern: Int64(movie.id)))
            add(movie.title)
            add(movie.rating.rawValue)
            add(UInt64(bitPattern: Int64(movie.budget)))
            add(movie.score.bitPattern)
            add(movie.year.map { UInt64(bitPattern: Int64($0)) })
            add(movie.tagline)
            bytes.withUnsafeBytes { bytes in
                let values = places.map { place in
                    place.map { bytes.baseAddress!.assumingMemoryBound(to: CChar.self) + $0.start }
                }
                let lengths = places.map { Int32($0?.count ?? 0) }
                let formats = [Int32](repeating: 1, count: 7)
                PQclear(PQexecPrepared(connection, "insert", 7, values, lengths, formats, 1))
            }
        }
        execute("COMMIT")
    }

    func fetchAll() -> [BenchmarkMovie] {
        let result = PQexecPrepared(connection, "all", 0, nil, nil, nil, 1)
        defer { PQclear(result) }
        var movies: [BenchmarkMovie] = []
        movies.reserveCapacity(Int(PQntuples(result)))
        for row in 0..<PQntuples(result) { if let movie = movie(result, row) { movies.append(movie) } }
        return movies
    }

    func find(_ id: Int) -> BenchmarkMovie? {
        let number = Int64(id).bigEndian
        let result = withUnsafePointer(to: number) { number in
            number.withMemoryRebound(to: CChar.self, capacity: 8) {
                PQexecPrepared(connection, "find", 1, [UnsafePointer($0)], [8], [1], 1)
            }
        }
        defer { PQclear(result) }
        return movie(result, 0)
    }

    private func movie(_ result: OpaquePointer?, _ row: Int32) -> BenchmarkMovie? {
        func integer(_ column: Int32) -> Int {
            Int(Int64(bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column)!).loadUnaligned(as: Int64.self)))
        }
        func text(_ column: Int32) -> String {
            let bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let rating = BenchmarkMovie.Rating(rawValue: text(2)) else { return nil }
        return BenchmarkMovie(
            id: integer(0), title: text(1), rating: rating, budget: integer(3),
            score: Double(bitPattern: UInt64(bitPattern: Int64(integer(4)))),
            year: PQgetisnull(result, row, 5) == 1 ? nil : integer(5),
            tagline: PQgetisnull(result, row, 6) == 1 ? nil : text(6))
    }
}
#endif
