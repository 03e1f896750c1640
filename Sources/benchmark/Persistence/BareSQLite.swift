import CSQLite

/// The C API, used as efficiently as possible: statements prepared once, text bound without a copy, everything in one
/// transaction.
// Unchecked, since it is used by one benchmark at a time.
final class BareSQLite: BareDatabase, @unchecked Sendable {
    private static let columns = "id, title, rating, budget, score, year, tagline"

    override init(path: String) {
        super.init(path: path)
        beginLog()
        execute(
            """
            CREATE TABLE IF NOT EXISTS movies (id INTEGER NOT NULL PRIMARY KEY, title TEXT NOT NULL, rating TEXT NOT NULL,
            budget INTEGER NOT NULL, score REAL NOT NULL, year INTEGER, tagline TEXT);
            PRAGMA user_version = 1
            """)
    }

    // MARK: - Writing

    func insert(_ movies: [BenchmarkMovie]) {
        execute("BEGIN IMMEDIATE")
        let statement = prepare("INSERT INTO movies (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
        for movie in movies {
            sqlite3_bind_int64(statement, 1, Int64(movie.id))
            sqlite3_bind_int64(statement, 4, Int64(movie.budget))
            sqlite3_bind_double(statement, 5, movie.score)
            if let year = movie.year {
                sqlite3_bind_int64(statement, 6, Int64(year))
            } else {
                sqlite3_bind_null(statement, 6)
            }
            var title = movie.title
            var rating = movie.rating.rawValue
            title.withUTF8 { title in
                bind(title, statement, 2)
                rating.withUTF8 { rating in
                    bind(rating, statement, 3)
                    if var tagline = movie.tagline {
                        tagline.withUTF8 { tagline in
                            bind(tagline, statement, 7)
                            sqlite3_step(statement)
                        }
                    } else {
                        sqlite3_bind_null(statement, 7)
                        sqlite3_step(statement)
                    }
                }
            }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        execute("COMMIT")
    }

    @inline(__always)
    private func bind(_ text: UnsafeBufferPointer<UInt8>, _ statement: OpaquePointer?, _ index: Int32) {
        text.withMemoryRebound(to: CChar.self) {
            _ = sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), nil)
        }
    }

    // MARK: - Reading

    func fetchAll() -> [BenchmarkMovie] {
        let statement = prepare("SELECT \(Self.columns) FROM movies ORDER BY id")
        defer { sqlite3_finalize(statement) }
        var movies: [BenchmarkMovie] = []
        while sqlite3_step(statement) == SQLITE_ROW { movies.append(read(statement)) }
        return movies
    }

    /// Calls `body` with the movie of each id.
    func fetch(_ ids: [Int], _ body: (BenchmarkMovie) -> Void) {
        let statement = prepare("SELECT \(Self.columns) FROM movies WHERE id = ?")
        defer { sqlite3_finalize(statement) }
        for id in ids {
            sqlite3_bind_int64(statement, 1, Int64(id))
            if sqlite3_step(statement) == SQLITE_ROW { body(read(statement)) }
            sqlite3_reset(statement)
        }
    }

    private func read(_ statement: OpaquePointer?) -> BenchmarkMovie {
        BenchmarkMovie(
            id: Int(sqlite3_column_int64(statement, 0)), title: text(statement, 1),
            rating: BenchmarkMovie.Rating(rawValue: text(statement, 2)) ?? .G,
            budget: Int(sqlite3_column_int64(statement, 3)), score: sqlite3_column_double(statement, 4),
            year: sqlite3_column_type(statement, 5) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(statement, 5)),
            tagline: sqlite3_column_type(statement, 6) == SQLITE_NULL ? nil : text(statement, 6))
    }
}
