import Testing

@testable import Feedback

@Suite("Running effects")
struct RunningEffectsTests {
    @Test("Changes are kept for listeners, and only while there are some")
    func changes() {
        let effects = RunningEffects()
        let token = EffectToken(of: FeedbackID(index: 0, name: "effect"))
        #expect(effects.begin(token) == false)
        effects.expectListener()
        #expect(effects.cancel(token) == true)
        effects.removeListener()
        #expect(effects.cancel(token) == false)
        #expect(effects.takeChanges().isEmpty)
    }
}
