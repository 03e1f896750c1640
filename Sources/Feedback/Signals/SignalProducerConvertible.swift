/// Something that can be started like a producer: a producer, a signal or a property.
public protocol SignalProducerConvertible<Value, Error>: Sendable {
    /// The values that the stream sends.
    associatedtype Value: Sendable
    /// The error with which the stream can fail; `NoError` if it cannot.
    associatedtype Error: Swift.Error

    /// The producer to start.
    var producer: SignalProducer<Value, Error> { get }
}

extension SignalProducer: SignalProducerConvertible {
    @inlinable
    public var producer: SignalProducer { self }
}

extension Result where Success: Sendable {
    /// A producer of the value, or the error.
    public var producer: SignalProducer<Success, Failure> { SignalProducer(result: self) }
}

extension Signal: SignalProducerConvertible {
    /// A producer that observes this signal from each start on.
    @inlinable
    public var producer: SignalProducer<Value, Error> { SignalProducer(self) }
}
