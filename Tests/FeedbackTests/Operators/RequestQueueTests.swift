import Feedback
import FeedbackTesting
import Testing

struct RequestQueueTests {
    private let queue = RequestQueue<String>()
    private let work = Stub<Int, String, NoError>()

    @Test("Requests about the same thing are sent one after the other, those about another thing at the same time")
    func order() {
        let answers = MutableProperty<[String]>([])
        for (number, key) in [(1, "a"), (2, "a"), (3, "b"), (4, "a")] {
            queue.perform(work(number), about: key).startWithValues { answer in answers.modify { $0.append(answer) } }
        }
        #expect(work.inputs == [1, 3])
        for number in [1, 3, 2, 4] { work.answer("\(number)", where: { $0 == number }) }
        #expect(work.inputs == [1, 3, 2, 4])
        #expect(answers.value == ["1", "3", "2", "4"])
    }

    @Test("A request that is disposed of makes way for the next one, and is not sent if it still waits")
    func disposal() {
        let first = queue.perform(work(1), about: "a").start()
        queue.perform(work(2), about: "a").start().dispose()
        queue.perform(work(3), about: "a").start()
        #expect(work.inputs == [1])
        first.dispose()
        #expect(work.inputs == [1, 3])
    }

    @Test("A request that delivers while it is started ends at once when it is disposed of")
    func endless() {
        let answers = MutableProperty<[Int]>([])
        queue.perform(SignalProducer<Int, NoError>(0...), about: "a").take(first: 2).startWithValues { answer in
            answers.modify { $0.append(answer) }
        }
        #expect(answers.value == [0, 1])
        queue.perform(work(1), about: "a").start()
        #expect(work.inputs == [1])
    }

    @Test("A request about something that does not equal itself is sent at once")
    func strangeKeys() {
        let queue = RequestQueue<Double>()
        for number in 1...2 { queue.perform(work(number), about: .nan).start() }
        #expect(work.inputs == [1, 2])
    }

    @Test("Any number of requests that end at once are sent without recursion")
    func depth() {
        let sent = MutableProperty(0)
        let first = queue.perform(work(1), about: "a").start()
        for _ in 0..<10_000 {
            queue.perform(SignalProducer<Int, NoError>(value: 1), about: "a").startWithValues { sent.value += $0 }
        }
        first.dispose()
        #expect(sent.value == 10_000)
    }

    @Test("A request that has ended is released while others wait")
    func release() {
        let census = Tracked.Census()
        queue.perform(work(1), about: "a").start()
        queue.perform(work(2).on(completed: { [tracked = census.make()] in tracked.touch() }), about: "a").start()
        for number in 3...5 { queue.perform(work(number), about: "a").start() }
        work.answer("1")
        #expect(census.living == 1)
        work.answer("2")
        #expect(work.inputs == [1, 2, 3])
        #expect(census.living == 0)
    }

    @Test("A request that waits is sent despite its disposal if it continues after it")
    func continuing() {
        queue.perform(work(1), about: "a").start()
        queue.perform(work(2), about: "a").continuingAfterDisposal().start().dispose()
        work.answer("1")
        #expect(work.inputs == [1, 2])
    }
}
