import Presentation

enum Help {
    static let version = "0.1.0"

    static func text(features: [DemoFeature]) -> String {
        let options = Option.all.map { option in
            (option.names.reversed().joined(separator: ", ") + (option.value.map { " \($0)" } ?? ""), option.summary)
        }
        let commands =
            features.map { ($0.name, $0.summary) } + [
                ("serve", "only run the backend, for curl and other clients")
            ]
        let width = (options + commands).map(\.0.count).max() ?? 0
        let list = { (rows: [(String, String)]) in
            rows.map { "  \($0.padded(to: width))  \($1)" }.joined(separator: "\n")
        }
        return """
            Drives the flows of the example features from end to end, against a backend on this machine.

            usage: demo [FEATURE…] [OPTION…]
                   demo serve [FEATURE…] [--port N] [OPTION…]

            \(list(commands))

            \(list(options))

            It ends with code 0 when every flow has reached its end, 1 when one has not, 64 for wrong arguments, and 74 when
            the output cannot be written.
            """
    }
}
