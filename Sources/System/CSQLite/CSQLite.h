// The system's SQLite: libsqlite3-dev on Debian and Ubuntu, part of the system on Apple platforms.
#include <sqlite3.h>
#include <stdbool.h>

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
static inline int csqlite_enable_triggers(sqlite3 *connection, bool isOn) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn, (int *)0);
}

/// Returns the size in bytes that the write-ahead log has at least, as all connections know it; 0 if there is none, or if it is
/// empty. It reads the index of the log, whose format is documented (https://sqlite.org/walformat.html).
static inline sqlite3_int64 csqlite_log_size(sqlite3 *connection) {
    sqlite3_file *file = 0;
    volatile void *index = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK || !index) return 0;
    // A size of 1 stands for 65,536, which has more than 16 bits.
    sqlite3_int64 pageSize = *(volatile unsigned short *)((volatile char *)index + 14);
    sqlite3_int64 pages = *(volatile unsigned int *)((volatile char *)index + 16);
    // A header of 32 bytes, and one of 24 for each page.
    return pages == 0 ? 0 : 32 + pages * (24 + (pageSize == 1 ? 65536 : pageSize));
}
