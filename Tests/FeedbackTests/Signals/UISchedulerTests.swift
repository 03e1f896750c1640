import Feedback
import Testing

struct UISchedulerTests {
    @Test("On the main actor work is done at once, whichever thread serves it")
    @MainActor
    func atOnce() {
        let done = MutableProperty(false)
        UIScheduler().schedule { done.value = true }
        #expect(done.value)
    }

    @Test("Work of other threads is done on the main actor, in order")
    func elsewhere() async {
        let scheduler = UIScheduler()
        let done = MutableProperty<[Int]>([])
        for number in 0..<100 {
            scheduler.schedule {
                MainActor.assumeIsolated { done.modify { $0.append(number) } }
            }
        }
        for await numbers in done.values where numbers.count == 100 { break }
        #expect(done.value == Array(0..<100))
    }
}
