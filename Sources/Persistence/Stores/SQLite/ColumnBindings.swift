/// The functions that bind the properties of an object to parameters, one for each column.
///
/// A function that is taken out of an array is retained and released for each call, which would cost as much as to bind a
/// number. A function in a constant property is not, and neither is an unmanaged reference.
final class ColumnBindings: Sendable {
    private final class Binding: Sendable {
        let bind: @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void

        init(_ bind: @escaping @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void) { self.bind = bind }
    }

    /// The number of columns.
    let count: Int
    private let bindings: [Binding]
    /// The same bindings.
    private let references: [Unmanaged<Binding>]

    init<Object>(_ columns: [SchemaColumn<Object>]) {
        count = columns.count
        // Not by way of an array of functions, which would be called through two more.
        bindings = columns.map { Binding($0.bind) }
        references = bindings.map { Unmanaged.passUnretained($0) }
    }

    /// Binds the property of a column of the object at an address to the parameter with the column's number, from 1.
    @inline(__always)
    func bind(_ object: UnsafeRawPointer, _ column: Int, _ binder: SQLiteBinder) {
        references[column]._withUnsafeGuaranteedRef {
            $0.bind(object, binder, Int32(truncatingIfNeeded: column &+ 1))
        }
    }
}
