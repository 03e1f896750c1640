/// Decides if a connection looks for its next answer before its thread sleeps. It goes by how soon the last answers came.
///
/// It is a value without locks or system calls.
struct AnswerPace: Sendable {
    /// The number of answers that are not looked for after one that did not come while the thread looked for it.
    private static var pause: Int { 15 }

    /// `true` if the last awaited answer came so soon that a short wait for the next one makes sense.
    private(set) var isSoon = true
    private var looksToSkip = 0

    /// Returns true if the thread looks for the next answer before it sleeps.
    ///
    /// - Parameter isAlone: `true` if nobody else in this process waits for an answer. Otherwise the thread is for them.
    mutating func looks(isAlone: Bool) -> Bool {
        guard isAlone else { return false }
        if looksToSkip == 0 { return true }
        looksToSkip -= 1
        return false
    }

    /// Records that an answer did not come while the thread looked for it.
    mutating func miss() { looksToSkip = Self.pause }

    /// Records how long an awaited answer took.
    mutating func note(_ time: Duration) { isSoon = time < .milliseconds(1) }
}
