/// A part of the rows that a filter finds: at most `limit` rows after the first `offset` rows.
struct RowRange: Equatable, Sendable {
    var offset: Int
    /// The number of rows; nil for all that follow.
    var limit: Int?

    /// Reads the part that the query asks for. Text that is not a number is ignored, as is an offset below zero.
    init(limit: String? = nil, offset: String? = nil) throws(TableRejection) {
        self.offset = max(0, offset.flatMap { Self.number($0[...]) } ?? 0)
        self.limit = limit.flatMap { Self.number($0[...]) }
        if let limit = self.limit, limit < 0 {
            throw .unsatisfiable("Limit should be greater than or equal to zero.")
        }
    }

    /// The position after the last row, at most the largest number; nil if all rows follow.
    private var end: Int? {
        limit.map { limit in
            let (end, isTooLarge) = offset.addingReportingOverflow(limit)
            return isTooLarge ? .max : end
        }
    }

    /// Reads digits, with or without a minus sign. A number beyond all others counts as the largest or the smallest one.
    private static func number(_ text: Substring) -> Int? {
        let isNegative = text.first == "-"
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text) ?? (isNegative ? .min : .max)
    }

    /// Returns the part of this range that the header field `Range` also asks for, such as `0-9` or `10-`.
    func intersected(withHeader header: String?) throws(TableRejection) -> RowRange {
        let bounds = header?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard bounds.count == 2, let lower = Self.number(bounds[0]) else { return self }
        let upper = Self.number(bounds[1])
        guard upper != nil || bounds[1].isEmpty else { return self }
        var range = self
        range.offset = max(offset, lower)
        var newEnd = end
        if let upper {
            guard lower <= upper else {
                throw .unsatisfiable(
                    "The lower boundary must be lower than or equal to the upper boundary in the Range header.")
            }
            newEnd = min(end ?? .max, upper == .max ? .max : upper + 1)
        }
        range.limit = newEnd.map { max(0, $0 - range.offset) }
        return range
    }
}
