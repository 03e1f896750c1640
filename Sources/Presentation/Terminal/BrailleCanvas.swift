/// A grid of dots that is shown as braille characters, each of which holds two by four dots.
struct BrailleCanvas {
    let columns: Int
    let rows: Int
    /// The dots of each cell, as the low byte of its braille character (Unicode, block U+2800).
    private var cells: [UInt8]
    /// The role of the dot that was set last in each cell.
    private var roles: [StyledLine.Role]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = Array(repeating: 0, count: self.columns * self.rows)
        roles = Array(repeating: .plain, count: cells.count)
    }

    /// The number of dots in a row.
    var width: Int { columns * 2 }
    /// The number of rows of dots.
    var height: Int { rows * 4 }

    /// Sets a dot. A dot outside of the canvas is ignored.
    mutating func set(_ x: Int, _ y: Int, _ role: StyledLine.Role) {
        guard x >= 0, x < width, y >= 0, y < height else { return }
        let cell = y / 4 * columns + x / 2
        cells[cell] |= Self.bits[y % 4 * 2 + x % 2]
        roles[cell] = role
    }

    /// Row by row, the bits of a cell's dots.
    private static let bits: [UInt8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

    /// The canvas as text. A cell without dots is a space.
    var lines: [StyledLine] {
        (0..<rows).map { row in
            var line = StyledLine()
            var text = ""
            var role = StyledLine.Role.plain
            for cell in row * columns..<(row + 1) * columns {
                if cells[cell] != 0, roles[cell] != role {
                    line.append(text, role)
                    text = ""
                    role = roles[cell]
                }
                text.unicodeScalars.append(cells[cell] == 0 ? " " : Self.scalar(cells[cell]))
            }
            line.append(text, role)
            return line
        }
    }

    private static func scalar(_ dots: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(0x2800 + UInt32(dots)) ?? " "
    }
}
