import Feedback
import Networking
import Presentation

/// Describes the states and the events of one run, in the order in which they came.
package struct ValueDescriber {
    private let redaction: Redaction
    private var names = IdentifierNames()
    private var secrets: [String: Bool] = [:]

    package init(_ redaction: Redaction) { self.redaction = redaction }

    package mutating func lines(of value: any Sendable) -> ValueLines {
        var secrets = secrets
        defer { self.secrets = secrets }
        return ValueLines(
            ValueTree(value), names: &names,
            isSecret: { name in
                if let known = secrets[name] { return known }
                let isSecret = redaction.isSecret(name)
                secrets[name] = isSecret
                return isSecret
            }, redacted: redaction.text)
    }

    /// Returns the event on one line. A long one is cut off, because its parts show in the state.
    mutating func line(
        of event: any Sendable, secrets: TypedSecrets = TypedSecrets(), typed: String? = nil
    ) -> String {
        let lines = lines(of: event).lines.map { secrets.removed(from: $0, typed: typed) }
        guard lines.count <= 24 else { return lines.prefix(3).map(\.text).joined(separator: " ") + " …" }
        return lines.map { line in
            let name = line.path.split(separator: ".").last.map(String.init) ?? ""
            return name.isEmpty || name.hasPrefix("[") ? line.text : "\(name): \(line.text)"
        }.joined(separator: " ")
    }
}
