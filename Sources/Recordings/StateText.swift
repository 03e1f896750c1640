import Foundation
import Presentation

/// The states of several models as text, for expectations in a test's source: the whole state of a model that is new,
/// and the changes in the states of the others.
///
///     CitiesViewModel
///       loading: .done
///       loading.number: removed
///
/// The text is the same in each run: identifiers have no numbers. Of a long list of lines, only the beginning and a
/// fingerprint of the rest are kept.
package enum StateText {
    private static let maximumLines = 12

    /// Returns the part of the text for one model.
    ///
    /// - Parameter old: The state before; `nil` if the model is new.
    /// - Returns: The lines; none if nothing has changed.
    package static func lines(of name: String, from old: ValueLines?, to new: ValueLines) -> [String] {
        let difference = old.map { new.difference(from: $0) }
        let changed = (difference?.changed ?? new.lines).filter { !$0.path.isEmpty }
        let removed = difference?.removed ?? []
        if old != nil, changed.isEmpty, removed.isEmpty { return [] }
        // Sorted, because lines that were applied as changes can have another order.
        let sorted = (changed.map { ($0.path, "\($0)") } + removed.map { ($0, "\($0): removed") })
            .sorted { $0.0.compare($1.0, options: .numeric) == .orderedAscending }
            .map { unnumbered($0.1) }
        var lines = ["\(name)\(old == nil ? " begins" : "")"] + sorted.prefix(maximumLines).map { "  \($0)" }
        if sorted.count > maximumLines {
            let rest = sorted.dropFirst(maximumLines).joined(separator: "\n")
            let number = rest.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            lines.append("  and \(sorted.count - maximumLines) more: \(String(number, radix: 16))")
        }
        return lines
    }

    /// Returns the parts of a text, by the names of their models.
    package static func parts(of text: String) -> [(name: String, lines: [String])] {
        var parts: [(name: String, lines: [String])] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix(" "), !parts.isEmpty {
                parts[parts.count - 1].lines.append(line)
            } else {
                parts.append((line.hasSuffix(" begins") ? String(line.dropLast(7)) : line, [line]))
            }
        }
        return parts
    }

    /// Returns the name of a model in the text: that of its type, with a number from the second of that type on.
    package static func name(_ type: String, number: Int) -> String { number == 1 ? type : "\(type) \(number)" }

    private static func unnumbered(_ text: String) -> String {
        text.contains("UUID ") ? text.replacing(/UUID \d+/, with: "UUID") : text
    }
}
