/// Finds the values of known keys in objects that mostly have the same keys in the same order, such as the rows of a table.
///
/// ```swift
/// let movies = try JSONIndex.read(body) { root in
///     var columns = JSONColumns(["id", "title", "year"])
///     return try root.elements.map { row in
///         guard columns.locate(in: row) else { throw JSONFault("A row is not an object.", at: row.offset) }
///         return Movie(id: columns[0]?.integer() ?? 0, title: columns[1]?.string ?? "", year: columns[2]?.integer())
///     }
/// }
/// ```
///
/// The keys are compared once for each sequence of keys in the body, not once for each row. It holds the body that it has
/// last read, so make it where the body is read.
public struct JSONColumns {
    /// The keys, in the order of the columns.
    public let names: [String]
    private let numbers: [String: Int]
    /// The body that the plans are for. Holding it keeps its positions valid.
    private var body: JSONIndex?
    /// The plans of recently met shapes, each at the number of its shape modulo ``planCount``.
    private var plans: [Plan] = [Plan()]
    /// The place of the plan for the shape that was met last.
    private var current = 0
    /// The positions of the located values; 0 for columns that the row does not have.
    private var positions: [Int]

    /// The places of the columns in objects of one shape.
    private struct Plan {
        var shape: UInt32?
        /// The number of the column of each member; -1 for members of other keys.
        var columns: [Int] = []
        /// The columns that no member has.
        var missing: [Int] = []
    }

    private static var planCount: Int { 32 }

    /// - Parameter names: The keys, each once.
    public init(_ names: [String]) {
        self.names = names
        numbers = Dictionary(
            names.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
        positions = Array(repeating: 0, count: names.count)
    }

    /// Finds the columns of a row; returns false if it is not an object.
    public mutating func locate(in row: JSONNode) -> Bool {
        guard select(row) else { return false }
        let words = row.index.tape.words
        var position = row.position &+ 2
        let columns = plans[current].columns
        for member in 0..<columns.count {
            let column = columns[member]
            if column >= 0 { positions[column] = position &+ 1 }
            position = position &+ 1 &+ JSONToken(word: words[position &+ 1]).width
        }
        return true
    }

    /// Calls a function with each column and its value: with the members of the row in their order, and then with the columns
    /// that it does not have, which are `null`. Stops if the function returns false. Does nothing if the row is not an object.
    ///
    /// It takes less time than ``locate(in:)`` and one ``scalar(_:in:)`` for each column.
    @inline(__always)
    package mutating func forEach(in row: JSONNode, _ body: (_ column: Int, _ value: JSONScalar) -> Bool) {
        guard select(row) else { return }
        let (words, bytes) = (row.index.tape.words, row.index.bytes)
        var value = row.position &+ 3
        for column in plans[current].columns {
            let token = JSONToken(word: words[value])
            if column >= 0, !body(column, JSONScalar(token, bytes)) { return }
            value = value &+ 1 &+ token.width
        }
        for column in plans[current].missing {
            if !body(column, JSONScalar(JSONToken(.null, payload: 0, offset: 0), bytes)) { return }
        }
    }

    /// Puts the values of a row into empty slots, in the order of ``forEach(in:_:)``, and returns the first column that cannot
    /// be read, whose slot stays empty, as do those after it; `nil` if all are filled. Does nothing if the row is not an object.
    ///
    /// Values of common types are put into their slots here, where all of it is one loop. For a call of a function for each
    /// value, they would be passed from one module to another.
    ///
    /// - Parameters:
    ///   - slots: The address of the first slot.
    ///   - stride: The number of bytes from one slot to the next.
    ///   - types: The type of each slot.
    ///   - read: Puts any other value into its slot; returns false, and leaves the slot empty, if it cannot be read.
    package mutating func fill(
        _ slots: UnsafeMutableRawPointer, stride: Int, as types: UnsafeBufferPointer<JSONSlot>, from row: JSONNode,
        read: (_ column: Int, _ value: JSONScalar, _ slot: UnsafeMutableRawPointer) -> Bool
    ) -> Int? {
        let bytes = row.index.bytes
        var unread: Int?
        forEach(in: row) { column, value in
            let slot = slots + column &* stride
            if types[column].put(value.token, bytes, into: slot) || read(column, value, slot) { return true }
            unread = column
            return false
        }
        return unread
    }

    /// The value of a column in the row that was located last; `nil` if it has no such key.
    public subscript(column: Int) -> JSONNode? {
        guard let body, positions[column] != 0 else { return nil }
        return JSONNode(index: body, position: positions[column])
    }

    /// Returns the value of a column in the row that was located last, which the caller must still hold; `null` if it
    /// has no such key.
    @inline(__always)
    package func scalar(_ column: Int, in row: JSONNode) -> JSONScalar {
        let position = positions[column]
        let token = position == 0 ? JSONToken(.null, payload: 0, offset: 0) : row.index.tape[position]
        return JSONScalar(token, row.index.bytes)
    }

    /// Selects the plan for a row; returns false if the row is not an object.
    @inline(__always)
    private mutating func select(_ row: JSONNode) -> Bool {
        guard row.token.kind == .object else { return false }
        let shape = row.index.shape(at: row.position)
        if body !== row.index || plans[current].shape != shape { follow(row, shape) }
        return true
    }

    /// Selects the plan for rows of a shape; makes it if there is none.
    @inline(never)
    private mutating func follow(_ row: JSONNode, _ shape: UInt32) {
        if body !== row.index {
            body = row.index
            plans = Array(repeating: Plan(), count: Self.planCount)
        }
        let place = Int(shape) % Self.planCount
        if plans[place].shape != shape {
            let columns = row.members.map { numbers[$0.key] ?? -1 }
            plans[place] = Plan(
                shape: shape, columns: columns, missing: names.indices.filter { !columns.contains($0) })
        }
        current = place
        for column in positions.indices { positions[column] = 0 }
    }
}
