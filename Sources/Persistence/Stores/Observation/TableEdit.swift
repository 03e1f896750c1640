/// The changes that a transaction made to a table, if they are few.
///
/// With it, an observed query can change its answer without asking the store for all objects of it again.
struct TableEdit: Sendable {
    /// The ``ObservedObjects`` with the versions of the changed objects before and after each step. All other objects of
    /// the table are unchanged.
    let touched: any AnyObject & Sendable
    /// The ``ObservedObjects`` with those of the changed objects that are in the table after the transaction.
    let present: any AnyObject & Sendable
}
