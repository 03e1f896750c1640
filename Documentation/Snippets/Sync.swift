import Persistence

var database: SQLiteDatabase { some() }
