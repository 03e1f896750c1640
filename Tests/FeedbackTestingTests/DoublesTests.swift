import Feedback
import FeedbackTesting
import Presentation
import Testing

struct StubTests {
    enum Failure: Error, Equatable { case offline }

    private let stub = Stub<String, Int, Failure>()

    @Test("Records the inputs, waits, and answers with a value")
    func answer() {
        let events = Locked<[SignalEvent<Int, Failure>]>([])
        let producer = stub("a")
        #expect(stub.inputs.isEmpty, "a producer that is not started calls nothing")

        producer.start { event in events.withLock { $0.append(event) } }
        #expect(stub.inputs == ["a"] && stub.waitingCount == 1)
        #expect(events.withLock { $0.isEmpty })
        stub.send(1)
        stub.answer(2)
        #expect(events.withLock { $0 } == [.value(1), .value(2), .completed])
        #expect(stub.waitingCount == 0 && stub.callCount == 1)
    }

    @Test("Answers all calls that wait, with an error too")
    func failure() async {
        let errors = Locked<[Failure]>([])
        for input in ["a", "b"] { stub(input).startWithFailed { error in errors.withLock { $0.append(error) } } }
        stub.fail(.offline)
        #expect(errors.withLock { $0 } == [.offline, .offline])
    }

    @Test("A call that is cancelled does not wait any more")
    func cancellation() {
        let call = stub("a").start()
        call.dispose()
        #expect(stub.waitingCount == 0 && stub.inputs == ["a"])
    }

    @Test("Answering fails the test if no call waits")
    func nothingToAnswer() {
        withKnownIssue {
            stub.answer(1)
        } matching: {
            $0.comments.first?.rawValue.contains("was not called") == true
        }
        stub("a").start().dispose()
        withKnownIssue {
            stub.fail(.offline)
        } matching: {
            $0.comments.first?.rawValue.contains("was called 1 time, and each call was") == true
        }
    }

    @Test("Calls are answered one by one, by their inputs")
    func oneByOne() {
        let answers = Locked<[String: Result<Int, Failure>]>([:])
        for input in ["a", "b", "c"] {
            stub(input).startWithResult { result in
                answers.withLock { $0[input] = result }
            }
        }
        stub.answer(2, where: { $0 == "b" })
        stub.fail(.offline, where: { $0 != "a" })
        #expect(answers.withLock { $0 } == ["b": .success(2), "c": .failure(.offline)])
        withKnownIssue {
            stub.answer(3, where: { $0 == "b" })
        } matching: {
            $0.comments.first?.rawValue.contains(
                #"no waiting call matches. The inputs of all calls so far: ["a", "b", "c"]"#)
                == true
        }
        stub.send(4, where: { $0 == "a" })
        stub.complete(where: { $0 == "a" })
        #expect(answers.withLock { $0["a"] } == .success(4) && stub.waitingCount == 0)
    }

    @Test("A function without a result is completed")
    func completion() {
        let stub = Stub<Void, Never, Failure>()
        let isComplete = Locked(false)
        stub().startWithCompleted { isComplete.withLock { $0 = true } }
        stub.complete()
        #expect(isComplete.withLock { $0 })
    }
}

struct EventuallyTests {
    @Test("Returns as soon as the condition holds")
    func holds() async {
        var count = 0
        let held = await eventually("the count is three") {
            count += 1
            return count == 3
        }
        #expect(held && count == 3)
    }

    @Test("Looks at least 200 times, however short the limit, and until the limit, however many times")
    func generous() async {
        var count = 0
        await withKnownIssue {
            await eventually("pigs fly", within: .zero) {
                count += 1
                return false
            }
        }
        #expect(count == 200)

        count = 0
        await eventually("it has looked 300 times", within: .seconds(3600)) {
            count += 1
            return count == 300
        }
        #expect(count == 300)
    }

    @Test("Ends when the test is cancelled")
    func cancelled() async {
        await withKnownIssue {
            let waiting = Task { await eventually("pigs fly") { false } }
            waiting.cancel()
            #expect(await !waiting.value)
        } matching: {
            $0.comments.first?.rawValue == "The test was cancelled, and until then it was never true that pigs fly."
        }
    }

    @Test("Fails the test with the condition in words after the limit")
    func never() async {
        await withKnownIssue {
            let held = await eventually("pigs fly", within: .milliseconds(20)) { false }
            #expect(!held)
        } matching: {
            $0.comments.first?.rawValue.contains("it was never true that pigs fly") == true
        }
    }
}
