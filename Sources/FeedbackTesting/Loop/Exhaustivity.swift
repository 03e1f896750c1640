/// The steps that a ``LoopTester`` wants to see asserted.
public enum Exhaustivity: Sendable {
    /// Each event, each change of the state, and the end of each effect.
    case full
    /// Only what the test asserts: other events are skipped, a change needs to describe only the parts of the state
    /// that it sets, and effects may run at the end.
    case partial
}
