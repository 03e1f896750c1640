import Feedback
import Persistence

extension SignalProducer where Error == StoreError {
    /// The one value of a producer.
    @discardableResult
    func get() throws -> Value {
        let values = try values()
        guard values.count == 1 else { throw WrongCount(count: values.count) }
        return values[0]
    }
}

extension SignalProducer where Value == Never, Error == StoreError {
    /// Does the work of a producer without values.
    func run() throws(StoreError) { _ = try values() }
}

struct WrongCount: Error {
    let count: Int
}
