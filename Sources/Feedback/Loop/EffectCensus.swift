/// How many effects of each feedback of a loop are running: for tests, which must end with none.
package final class EffectCensus: Sendable {
    private let running = Locked<[Int: Int]>([:])

    package init() {}

    /// The places, in the loop's list, of the feedbacks that have an effect running.
    package var feedbacksWithEffects: [Int] {
        running.withLock { $0.filter { $0.value > 0 }.keys.sorted() }
    }

    func count(_ change: Int, of feedback: Int) {
        running.withLock { $0[feedback, default: 0] += change }
    }
}

/// One feedback's entry in a census.
struct CensusEntry: Sendable {
    let census: EffectCensus
    let feedback: Int

    func began() { census.count(1, of: feedback) }

    func ended() { census.count(-1, of: feedback) }
}
