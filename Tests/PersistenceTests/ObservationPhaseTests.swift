import Testing

@testable import Persistence

@Suite("Who tells an observer of a change")
final class ObservationPhaseTests {
    private var phase = Observation.Phase()
    private let writer: UInt = 1
    private let other: UInt = 2

    private func change(by thread: UInt) -> Observation.Phase.Action { phase.change(by: thread) }
    private func told(wasSlow: Bool?, isOnQueue: Bool) -> Observation.Phase.Action {
        phase.told(wasSlow: wasSlow, isOnQueue: isOnQueue)
    }

    @Test("The thread that makes the change, and again if the observer itself makes another one")
    func itself() {
        phase.begin(writer)
        #expect(told(wasSlow: false, isOnQueue: false) == .none)
        #expect(change(by: writer) == .tell)
        #expect(change(by: writer) == .none && change(by: writer) == .none)
        #expect(told(wasSlow: false, isOnQueue: false) == .tell)
        #expect(told(wasSlow: false, isOnQueue: false) == .none)
        #expect(change(by: other) == .tell)
    }

    @Test("A queue, if another thread makes a change meanwhile", arguments: [[2], [2, 1], [1, 2]] as [[UInt]])
    func another(_ threads: [UInt]) {
        phase.begin(writer)
        for thread in threads { #expect(change(by: thread) == .none) }
        #expect(told(wasSlow: false, isOnQueue: false) == .tellOnQueue)
        // Nobody is alone with the queue, which goes on itself.
        #expect(change(by: writer) == .none)
        #expect(told(wasSlow: false, isOnQueue: true) == .tell)
        #expect(told(wasSlow: false, isOnQueue: true) == .none)
        #expect(change(by: writer) == .tell)
    }

    @Test("A queue, if the observer took long the last time that it was told")
    func slow() {
        phase.begin(writer)
        #expect(change(by: writer) == .none)
        #expect(told(wasSlow: true, isOnQueue: false) == .tellOnQueue)
        #expect(told(wasSlow: nil, isOnQueue: true) == .none)
        #expect(change(by: writer) == .tellOnQueue)
        #expect(told(wasSlow: false, isOnQueue: true) == .none)
        #expect(change(by: writer) == .tell)
    }

    @Test("The thread that makes the change, if there was nothing to tell yet")
    func toldNothing() {
        phase.begin(writer)
        #expect(told(wasSlow: nil, isOnQueue: false) == .none)
        #expect(change(by: writer) == .tell)
    }

    @Test("Nobody, if it has ended")
    func over() {
        phase.begin(writer)
        #expect(change(by: writer) == .none)
        phase.end()
        #expect(told(wasSlow: false, isOnQueue: false) == .none)
        phase.begin(writer)
        #expect(change(by: writer) == .none)
        #expect(told(wasSlow: false, isOnQueue: false) == .none)
    }
}
