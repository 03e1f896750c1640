import Feedback

extension SignalProducer where Error == CoreError {
    /// Only the end of it.
    func withoutValues() -> SignalProducer<Never, CoreError> {
        then(SignalProducer<Never, CoreError>.empty)
    }

    /// The first value; an end without one is a cancellation.
    func onlyValue() async throws(CoreError) -> Value {
        guard let value = try await first() else { throw .cancelled }
        return value
    }
}

extension SignalProducer where Error == CoreError {
    /// A producer of the result of `work`, which begins on the thread that starts it: a hop to another thread takes as long
    /// as a third of a request to a server nearby. The result is delivered after the start has returned.
    init(startingNow work: @escaping @Sendable () async throws(CoreError) -> Value) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            self.init(work)
            return
        }
        self.init { observer, lifetime in
            let isStarting = Locked(true)
            let task = Task.immediate {
                let result: Result<Value, CoreError>
                do throws(CoreError) { result = .success(try await work()) } catch { result = .failure(error) }
                if isStarting.withLock({ $0 }) { await Task.yield() }
                switch result {
                case .success(let value):
                    observer.send(value: value)
                    observer.sendCompleted()
                case .failure(let error): observer.send(error: error)
                }
            }
            isStarting.withLock { $0 = false }
            lifetime.observeEnded { task.cancel() }
        }
    }
}
