import Postgres

var database: PostgresDatabase { some() }
var films: PostgresStore<Movie> { some() }
var least: Int { some() }
