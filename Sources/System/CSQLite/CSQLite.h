// The system's SQLite: libsqlite3-dev on Debian and Ubuntu, part of the system on Apple platforms.
#include <sqlite3.h>

// Swift cannot call functions with a variable number of arguments.

/// Makes a connection refuse text in double quotes, which SQLite otherwise takes for a text if no column has that name: a
/// statement about a column that is gone would go on with the column's name as its value. This also concerns triggers and views of
/// the file; a text is written in single quotes.
static inline int csqlite_refuse_quoted_texts(sqlite3 *connection) {
#ifdef SQLITE_DBCONFIG_DQS_DML
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
#else
    return SQLITE_OK;
#endif
}

/// Turns the triggers of a connection on or off.
static inline int csqlite_enable_triggers(sqlite3 *connection, int isOn) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn, (int *)0);
}
