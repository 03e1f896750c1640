import JSON
import Presentation

/// A state before and after an event, as one tree with the differences marked.
struct StateComparison: Equatable, Sendable {
    enum Change: String, Sendable { case same, changed, added, removed }

    let label: String
    let before: String?
    let after: String?
    let change: Change
    let children: [StateComparison]

    init(_ before: ValueTree?, _ after: ValueTree?) {
        label = after?.label ?? before?.label ?? ""
        self.before = before?.text
        self.after = after?.text
        var rest = Dictionary((before?.children ?? []).map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
        var children = (after?.children ?? []).map { StateComparison(rest.removeValue(forKey: $0.label), $0) }
        children += (before?.children ?? []).filter { rest[$0.label] != nil }.map { StateComparison($0, nil) }
        self.children = children
        if before == nil {
            change = .added
        } else if after == nil {
            change = .removed
        } else {
            change = before?.text != after?.text || children.contains { $0.change != .same } ? .changed : .same
        }
    }

    /// Writes the tree: `{"l": label, "b": text before, "a": text after, "k": change, "c": children}`; parts that are
    /// the same are written once.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("l", label)
        if let before, before != after { writer.member("b", before) }
        if let after { writer.member("a", after) }
        if change != .same { writer.member("k", change.rawValue) }
        if !children.isEmpty {
            writer.key("c")
            writer.beginArray()
            for child in children { child.write(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }
}
