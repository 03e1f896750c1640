import Presentation

/// Lets a person use the flows with the keyboard.
struct InteractiveRun: Sendable {
    let arguments: Arguments
    let flows: [any DemoFlow]

    /// - Returns: Whether it could be started.
    func run() async -> Bool { false }
}
