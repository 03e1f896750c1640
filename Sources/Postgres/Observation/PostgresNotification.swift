/// The notification by which a transaction tells the observers of all processes which table it has written to.
enum PostgresNotification {
    /// Returns the statement that sends the name of a table, its parameter, and selects the name that was sent.
    ///
    /// A write to a table with triggers, rules or foreign keys of others may change other tables, and one to a part of a table
    /// changes the whole, so they send the name that stands for any table. The server is asked about them each time, since
    /// they may be newer than the store.
    static func statement(of table: String) -> String { table == PostgresListener.anyTable ? plain : checking }

    private static let plain = "SELECT $1, pg_notify('\(PostgresListener.channel)', $1)"

    // Most tables have nothing of all this, which their entry in the catalog says. `MATERIALIZED` has the name computed once.
    private static let checking = """
        WITH written AS (SELECT to_regclass(quote_ident($1)) AS id),
        parts AS (SELECT id FROM written UNION SELECT relid FROM written, pg_partition_tree(written.id)),
        sent AS MATERIALIZED (
            SELECT CASE
                WHEN NOT EXISTS (
                    SELECT FROM pg_class WHERE oid = (SELECT id FROM written)
                    AND (relhastriggers OR relhasrules OR relhassubclass OR relkind = 'p'))
                    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = (SELECT id FROM written)) THEN $1
                WHEN EXISTS (SELECT FROM pg_inherits WHERE inhrelid = (SELECT id FROM written))
                    OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid IN (SELECT id FROM parts) AND NOT tgisinternal)
                    OR EXISTS (SELECT FROM pg_rewrite WHERE ev_class IN (SELECT id FROM parts))
                    OR EXISTS (
                        SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid IN (SELECT id FROM parts)
                        AND (confdeltype IN ('c', 'n', 'd') OR confupdtype IN ('c', 'n', 'd')))
                    THEN '\(PostgresListener.anyTable)'
                ELSE $1 END AS name)
        SELECT name, pg_notify('\(PostgresListener.channel)', name) FROM sent
        """
}
