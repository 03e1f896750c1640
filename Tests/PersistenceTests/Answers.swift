import Feedback
import Persistence

extension SignalProducer where Error == StoreError {
    /// The values of a producer that does all its work when it is started.
    func values() throws(StoreError) -> [Value] {
        let collected = Locked<(values: [Value], error: StoreError?)>(([], nil))
        startWithResult { result in
            collected.withLock { collected in
                switch result {
                case .success(let value): collected.values.append(value)
                case .failure(let error): collected.error = error
                }
            }
        }
        let (values, error) = collected.withLock { $0 }
        if let error { throw error }
        return values
    }
}
