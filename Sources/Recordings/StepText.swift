import Presentation

/// Events and their effects on the states as text, for expectations in a test's source.
///
///     CitiesViewModel .didLoad 4 elements from whenLoading
///       loading: .done
///
/// The text is the same in each run: identifiers have no numbers, nor do effects, and of a long list of changes only the beginning
/// and a number for the rest are kept.
package enum StepText {
    private static let maximumChanges = 12

    package static func lines(of event: Recording.Event, model name: String) -> [String] {
        let changes =
            event.changed.map { unnumbered("\($0)") } + event.removed.map { unnumbered("\($0): removed") }
        var shown = changes.prefix(maximumChanges).map { "  \($0)" }
        if changes.count > maximumChanges {
            let rest = changes.dropFirst(maximumChanges).joined(separator: "\n")
            let number = rest.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            shown.append("  and \(changes.count - maximumChanges) more: \(String(number, radix: 16))")
        }
        return [head(of: event, model: name)] + shown
    }

    private static func head(of event: Recording.Event, model name: String) -> String {
        let text = unnumbered(event.event)
        let source = event.source.split(separator: " ").first.map(String.init) ?? event.source
        return "\(name) \(text)" + (source == "sent" ? "" : " from \(source)")
    }

    /// The name of the model that a head is of.
    package static func model(ofLine line: Substring) -> String? {
        line.first.map { $0 != " " } == true ? line.split(separator: " ").first.map(String.init) : nil
    }

    private static func unnumbered(_ text: String) -> String {
        text.contains("UUID ") ? text.replacing(/UUID \d+/, with: "UUID") : text
    }

    /// The events of several models: each model's are together.
    package static func text(of events: [(model: String, event: Recording.Event)]) -> String {
        var names: [String] = []
        for (name, _) in events where !names.contains(name) { names.append(name) }
        return names.flatMap { name in
            events.filter { $0.model == name }.flatMap { lines(of: $0.event, model: name) }
        }.joined(separator: "\n")
    }
}
