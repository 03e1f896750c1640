import Feedback

extension LoopTester {
    /// Asserts the next event that an effect has fed back, and what it changed in the state.
    ///
    /// - Parameter change: Changes the previous state into the expected one; without it no change is expected.
    public func receive(
        _ event: Event, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) where Event: Equatable {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(event, next { $0 == event }, nil, change, location)
    }

    /// Asserts the next event that an effect has fed back by a condition, and what it changed in the state.
    public func receive(
        where matches: (Event) -> Bool, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(where: matches, next(matches), nil, change, location)
    }

    /// Waits for the next event that an effect feeds back, for effects that are async, and asserts it.
    ///
    /// - Parameter limit: The time to wait before the test fails.
    public func receive(
        _ event: Event, within limit: Duration, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async where Event: Equatable {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(event, await next(within: limit) { $0 == event }, limit, change, location)
    }

    /// Waits for the next event that an effect feeds back, for effects that are async, and asserts it by a condition.
    ///
    /// - Parameter limit: The time to wait before the test fails.
    public func receive(
        where matches: (Event) -> Bool, within limit: Duration, _ change: (inout State) -> Void = { _ in },
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        receive(where: matches, await next(within: limit, matches), limit, change, location)
    }

    /// Drops the events that effects have fed back and that were not asserted, and goes on from the state after them. Fails
    /// the test if there is none.
    ///
    /// Use it after steps that are not what the test is about:
    ///
    /// ```swift
    /// stub.answer(["London"])
    /// tester.skipReceived()
    /// ```
    public func skipReceived(
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        settle()
        guard journal.takeAll().isEmpty else { return }
        failOnMissing("an event", nil, TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Waits for an event that an effect feeds back, for effects that are async, and drops it and those that have come with
    /// it. Goes on from the state after them.
    ///
    /// - Parameter limit: The time to wait before the test fails.
    public func skipReceived(
        within limit: Duration, fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) async {
        guard let first = await next(within: limit, { _ in true }) else {
            let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            return failOnMissing("an event", limit, location)
        }
        _ = journal.asserted(first.state)
        _ = journal.takeAll()
    }

    // MARK: - Machinery

    /// Returns the next event; if the tester is not exhaustive, the next one that matches.
    private func next(_ matches: (Event) -> Bool) -> ReducedEvent<State, Event>? {
        // An event may wait for another thread, which then reduces it.
        settle()
        while let reduced = journal.next() {
            guard exhaustivity == .full || matches(reduced.event) else { continue }
            settle()
            return reduced
        }
        return nil
    }

    private func next(within limit: Duration, _ matches: (Event) -> Bool) async -> ReducedEvent<State, Event>? {
        let end = ContinuousClock.now + limit
        while let reduced = await journal.next(within: end - .now) {
            guard exhaustivity == .full || matches(reduced.event) else { continue }
            await settle(until: end)
            return reduced
        }
        return nil
    }

    private func settle(until end: ContinuousClock.Instant) async {
        let isSettled = MutableProperty(false)
        whenSettled { isSettled.value = true }
        while !isSettled.value, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private func receive(
        _ event: Event, _ reduced: ReducedEvent<State, Event>?, _ limit: Duration?, _ change: (inout State) -> Void,
        _ location: TestLocation
    ) where Event: Equatable {
        guard let reduced else { return failOnMissing(describe(event), limit, location) }
        if reduced.event != event {
            let difference = Difference(expected: event, actual: reduced.event)
            location.fail(
                """
                The next event, from \(reduced.source), is another one than expected (- expected, + actual):

                \(difference)
                """)
        }
        assertState(after: reduced.event, is: reduced.state, change, location)
    }

    private func receive(
        where matches: (Event) -> Bool, _ reduced: ReducedEvent<State, Event>?, _ limit: Duration?,
        _ change: (inout State) -> Void, _ location: TestLocation
    ) {
        guard let reduced else { return failOnMissing("an event", limit, location) }
        if !matches(reduced.event) {
            location.fail("The next event, from \(reduced.source), does not match: \(describe(reduced.event))")
        }
        assertState(after: reduced.event, is: reduced.state, change, location)
    }

    private func failOnMissing(_ event: String, _ limit: Duration?, _ location: TestLocation) {
        let time = limit.map { " within \($0)" } ?? ""
        let running = journal.running
        let hint =
            running.isEmpty
            ? "No effect runs."
            : """
            These effects still run: \(list(running)). If one of them waits for a TestScheduler, advance it; if it waits \
            for a stub, answer it\(limit == nil ? "; if it is async, await receive(_:within:)" : "").
            """
        location.fail("Expected \(event) from an effect, but no effect has sent an event\(time). \(hint)")
    }
}
