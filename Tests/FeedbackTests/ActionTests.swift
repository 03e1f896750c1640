import Feedback
import Testing

@Suite("Action")
struct ActionTests {
    let work: Pipe<String>
    let input: Pipe<String>.Observer

    init() { (work, input) = Pipe<String>.pipe() }

    func action(enabledIf isEnabled: some PropertyProtocol<Bool> = Property(value: true)) -> Action<
        Int, String, TestError
    > {
        Action(enabledIf: isEnabled) { [work] number in work.producer.map { "\(number)\($0)" } }
    }

    @Test("It executes its work with the input, and tells of it")
    func execution() {
        let action = action()
        let values = action.values.recorded()
        let completed = action.completed.recorded()
        let events = action.events.recorded()
        let executing = action.isExecuting.producer.recorded()
        let enabled = action.isEnabled.producer.recorded()
        let recorder = action.apply(7).recorded()
        input.send(value: "a")
        input.sendCompleted()
        #expect(recorder.events == [.value("7a"), .completed])
        #expect(values.values == ["7a"])
        #expect(completed.values.count == 1)
        #expect(events.values == [.value("7a"), .completed])
        #expect(executing.values == [false, true, false])
        #expect(enabled.values == [true, false, true])
    }

    @Test("While it executes, it is disabled")
    func disabledWhileExecuting() {
        let action = action()
        let disabled = action.disabledErrors.recorded()
        action.apply(1).start()
        #expect(action.apply(2).recorded().events == [.failed(.disabled)])
        #expect(disabled.values.count == 1)
    }

    @Test("It is enabled only while the property is true")
    func enabledIf() {
        let isEnabled = MutableProperty(false)
        let action = action(enabledIf: isEnabled)
        #expect(!action.isEnabled.value)
        #expect(action.apply(1).recorded().events == [.failed(.disabled)])
        isEnabled.value = true
        #expect(action.isEnabled.value)
        let recorder = action.apply(1).recorded()
        isEnabled.value = false
        input.send(value: "a")
        #expect(recorder.events == [.value("1a")], "What is under way goes on.")
    }

    @Test("A failure is an error of the action, and of the application")
    func failure() {
        let action = action()
        let errors = action.errors.recorded()
        let recorder = action.apply(1).recorded()
        input.send(error: .first)
        #expect(recorder.events == [.failed(.producerFailed(.first))])
        #expect(errors.values == [.first])
        #expect(action.isEnabled.value)
    }

    @Test("Disposal of an application interrupts the work, and enables the action again")
    func disposal() {
        let action = action()
        let (recorder, disposable) = action.apply(1).recording()
        #expect(action.isExecuting.value)
        disposable.dispose()
        #expect(recorder.events == [.interrupted])
        #expect(!action.isExecuting.value)
    }

    @Test("At its end it can be applied again")
    func again() {
        let action = Action<Int, Int, TestError> { SignalProducer(value: $0) }
        let again = Recorder<Int, ActionError<TestError>>()
        action.apply(1).startWithCompleted { action.apply(2).start { again.record($0) } }
        #expect(again.events == [.value(2), .completed])
    }

    @Test("Its events are in order, also if the observer of an end applies it again")
    func order() {
        let action = Action<Int, Int, TestError> { $0 == 1 ? SignalProducer(error: .first) : SignalProducer(value: $0) }
        let events = Log<String>()
        action.events.observeValues { events.add("\($0)") }
        action.apply(1).startWithFailed { _ in action.apply(2).start() }
        #expect(events.entries == ["failed(first)", "value(2)", "completed"])
    }

    @Test("An application has completed, also if an observer of the action's completions disposes it")
    func disposedAtCompletion() {
        let action = action()
        let application = SerialDisposable()
        let recorder = Recorder<String, ActionError<TestError>>()
        let log = Log<String>()
        action.completed.observeValues {
            application.dispose()
            log.add("\(recorder.events.count)")
        }
        action.events.observeValues { log.add("\($0)") }
        application.inner = action.apply(1).start { recorder.record($0) }
        input.send(value: "a")
        input.sendCompleted()
        #expect(recorder.events == [.value("1a"), .completed])
        // Nothing is delivered after the disposal has returned.
        #expect(log.entries == ["value(1a)", "2", "completed"])
        #expect(action.isEnabled.value)
    }

    @Test("Its events end at once when an application is disposed while its work makes a value")
    func disposedInside() {
        let application = SerialDisposable()
        let action = Action<Int, Int, TestError> { _ in
            SignalProducer([1, 2, 3]).map { number -> Int in
                if number == 2 { application.dispose() }
                return number
            }
        }
        let events = action.events.recorded()
        let (start, input) = Signal<Void, NoError>.pipe()
        application.inner = start.producer.promoteError(ActionError<TestError>.self)
            .flatMap(.latest) { action.apply(1) }.start()
        input.send(value: ())
        #expect(events.values == [.value(1), .interrupted])
        #expect(action.isEnabled.value)
    }

    @Test("It can be applied by the release of its old state")
    func releasedState() {
        let applied = Log<Int>()
        let action = Shared<Action<Int, Int, NoError>?>(nil)
        let state = MutableProperty(
            AtRelease { action.value?.apply(1).start { if let number = $0.value { applied.add(number) } } })
        action.value = Action(state: state) { _, number in SignalProducer(value: number) }
        state.value = AtRelease {}
        #expect(applied.entries == [1])
        action.value = nil
    }

    @Test("The state is that of the moment of the start")
    func state() {
        let state = MutableProperty("a")
        let action = Action<Int, String, NoError>(state: state) { state, number in
            SignalProducer(value: "\(state)\(number)")
        }
        let application = action.apply(1)
        state.value = "b"
        #expect(application.recorded().values == ["b1"])
    }

    @Test("It is enabled as the state is, also in the observers of the state", arguments: [true, false])
    func enabledInObserver(isObservedBefore: Bool) {
        let (state, seen) = (MutableProperty(false), Log<String>())
        let action = Shared<Action<Void, String, NoError>?>(nil)
        let observe = {
            _ = state.signal.observeValues { value in
                let isEnabled = action.value?.isEnabled.value
                let events = action.value?.apply().recorded().events
                seen.add("\(value): \(isEnabled == true) \(events?.first == .value("done"))")
            }
        }
        if isObservedBefore { observe() }
        action.value = Action(enabledIf: state) { SignalProducer(value: "done") }
        if !isObservedBefore { observe() }
        state.value = true
        state.value = false
        #expect(seen.entries == ["true: true true", "false: false false"])
        action.value = nil
    }

    @Test("It is enabled as the state is that an observer has set just before")
    func enabledBySetter() {
        let (state, seen) = (MutableProperty(true), Log<Bool>())
        let action = Action<Void, String, NoError>(enabledIf: state) { SignalProducer(value: "done") }
        state.signal.take(first: 1).observeValues { _ in
            state.value = true
            seen.add(action.isEnabled.value)
            seen.add(action.apply().recorded().values == ["done"])
            state.value = false
            seen.add(action.isEnabled.value)
            seen.add(action.apply().recorded().values == ["done"])
        }
        state.value = false
        #expect(seen.entries == [true, true, false, false])
    }

    @Test("Unwrapping a state, it is disabled while that is nil")
    func unwrapping() {
        let state = MutableProperty<String?>(nil)
        let action = Action<Void, String, NoError>(unwrapping: state) { SignalProducer(value: $0) }
        #expect(!action.isEnabled.value)
        state.value = "a"
        #expect(action.apply().recorded().values == ["a"])
    }

    @Test("Values bound to it are inputs")
    func binding() {
        let action = Action<Int, Int, NoError> { SignalProducer(value: $0 * 2) }
        let values = action.values.recorded()
        let (numbers, input) = Signal<Int, NoError>.pipe()
        action <~ numbers
        input.send(value: 1)
        input.send(value: 2)
        #expect(values.values == [2, 4])
    }

    @Test("When it goes, its signals complete")
    func end() {
        var action: Action<Int, String, TestError>? = action()
        let values = action?.values.recorded()
        let executing = action?.isExecuting.producer.recorded()
        action = nil
        #expect(values?.events == [.completed])
        #expect(executing?.events == [.value(false), .completed])
    }

    @Test("Its errors read as sentences")
    func description() {
        #expect("\(ActionError<TestError>.disabled)".hasSuffix("see isEnabled."))
        #expect("\(ActionError.producerFailed(TestError.first))" == "first")
    }
}
