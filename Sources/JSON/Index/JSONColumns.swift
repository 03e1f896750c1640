/// Finds the values of known keys in objects that mostly have the same keys in the same order, such as the rows of a table.
///
/// ```swift
/// var columns = JSONColumns(["id", "title", "year"])
/// let movies = try JSONIndex.read(body) { root in
///     try root.elements.map { row in
///         guard columns.locate(in: row) else { throw JSONFault("A row is not an object.", at: row.offset) }
///         return Movie(id: columns[0]?.integer() ?? 0, title: columns[1]?.string ?? "", year: columns[2]?.integer())
///     }
/// }
/// ```
///
/// The keys are compared once for each sequence of keys that the body has, not once for each row.
public struct JSONColumns {
    /// The keys, in the order of the columns.
    public let names: [String]
    private let numbers: [String: Int]
    /// The index that `columnOfMember` was made for, by identity, and the shape.
    private var known: (index: ObjectIdentifier, shape: UInt32)?
    /// The number of the column of each member of an object of the known shape; -1 for members of other keys.
    private var columnOfMember: [Int] = []
    /// The positions of the located values; 0 for columns that the row has not.
    private var positions: [Int]
    private var row: JSONIndex?

    /// - Parameter names: The keys, each once.
    public init(_ names: [String]) {
        self.names = names
        numbers = Dictionary(
            names.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
        positions = Array(repeating: 0, count: names.count)
    }

    /// Finds the columns of a row; returns false if it is not an object.
    public mutating func locate(in row: JSONNode) -> Bool {
        let (index, token) = (row.index, row.token)
        guard token.kind == .object else { return false }
        let shape = index.shape(at: row.position)
        if known?.shape != shape || known?.index != ObjectIdentifier(index) { learn(row) }
        if self.row !== index { self.row = index }
        var position = row.position &+ 2
        positions.withUnsafeMutableBufferPointer { positions in
            for column in columnOfMember {
                if column >= 0 { positions[column] = position &+ 1 }
                position = position &+ 1 &+ index.tape[position &+ 1].width
            }
        }
        return true
    }

    /// The value of a column in the row that was located last; `nil` if it has no such key.
    public subscript(column: Int) -> JSONNode? {
        guard let row, positions[column] != 0 else { return nil }
        return JSONNode(index: row, position: positions[column])
    }

    private mutating func learn(_ row: JSONNode) {
        columnOfMember = row.members.map { numbers[$0.key] ?? -1 }
        known = (ObjectIdentifier(row.index), row.index.shape(at: row.position))
        for column in positions.indices { positions[column] = 0 }
    }
}
