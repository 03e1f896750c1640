/// A prepared statement for all questions of one shape, and the places of their values in it.
final class ShapedStatement {
    /// The questions that share a statement: those of a shape to one store, or the parts of their answers.
    struct Key: Hashable {
        let store: Int
        let shape: QuestionShape
        let piece: AnyQuestion.Piece
    }

    private enum Parameter {
        /// The ordinary value with this number.
        case value(Int)
        /// A value that all questions of the shape have.
        case constant(PrimitiveValue)
    }

    let statement: SQLiteStatement
    private let parameters: [Parameter]
    private let isPage: Bool

    /// Returns nil if a part of the condition is tested in memory.
    ///
    /// - Parameter question: A part of a ``AnyQuestion/numbered`` question.
    init?(_ question: AnyQuestion, in table: SQLNames, on connection: SQLiteConnection) throws(StoreError) {
        let search = try SQLSearch(question, in: table, dialect: .sqlite)
        guard search.rest == nil else { return nil }
        isPage = question.isPage
        var parameters: [Parameter] = []
        // The last two are limit and offset.
        for value in search.sql.values.dropLast(isPage ? 2 : 0) {
            switch value {
            // The constants that SQL gets besides the question's values are infinities, and never integers.
            case .primitive(.integer(let number)): parameters.append(.value(Int(number)))
            case .primitive(let constant): parameters.append(.constant(constant))
            case .pattern, .list: return nil
            }
        }
        self.parameters = parameters
        statement = try connection.statement(search.sql.text)
    }

    /// Binds the values of a question.
    func bind(_ values: [PrimitiveValue], limit: Int?, offset: Int) {
        let binder = statement.binder
        binder.begin()
        var index: Int32 = 0
        for parameter in parameters {
            index += 1
            switch parameter {
            case .value(let number): binder.bind(values[number], at: index)
            case .constant(let value): binder.bind(value, at: index)
            }
        }
        if isPage {
            binder.bind(.integer(limit.map { Int64($0) } ?? .max), at: index + 1)
            binder.bind(.integer(Int64(offset)), at: index + 2)
        }
    }
}

extension SQLiteConnection {
    /// Returns the statement for a part of the answers to all questions of a shape, made once; nil if there is none.
    func statement(
        for key: ShapedStatement.Key, _ question: @autoclosure () -> AnyQuestion, in table: SQLNames
    ) throws(StoreError) -> ShapedStatement? {
        if let known = shaped[key] { return known }
        let statement = try ShapedStatement(question().numbered.question(for: key.piece), in: table, on: self)
        shaped.insert(statement, for: key)
        return statement
    }
}
