import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A type whose values have streams, under `reactive`.
public protocol ReactiveExtensionsProvider {}

extension ReactiveExtensionsProvider {
    /// The streams of this value.
    public var reactive: Reactive<Self> { Reactive(self) }
}

/// The streams of a value: `NotificationCenter.default.reactive.notifications(forName: .didLogIn)`.
///
/// Extend it to add streams to a type of yours.
public struct Reactive<Base> {
    /// The value.
    public let base: Base

    init(_ base: Base) {
        self.base = base
    }
}

extension NotificationCenter: ReactiveExtensionsProvider {}
extension URLSession: ReactiveExtensionsProvider {}

extension Reactive where Base: NotificationCenter {
    /// Returns a signal that makes a value of each notification with this name that `object` posts. Without a name, all
    /// names count; without an object, all objects.
    ///
    /// ```swift
    /// center.reactive.notifications(forName: .didLogIn) { $0.userInfo?["name"] as? String }
    /// ```
    ///
    /// The signal observes the notification center as long as it is held or observed. It does not deliver the
    /// notifications themselves, because they must not be sent to another thread.
    public func notifications<Value: Sendable>(
        forName name: Notification.Name?, object: AnyObject? = nil,
        _ transform: @escaping @Sendable (Notification) -> Value
    ) -> Signal<Value, NoError> {
        let center: NotificationCenter = base
        return Signal { observer, lifetime in
            // Foundation lets any thread remove it.
            nonisolated(unsafe) let token = center.addObserver(forName: name, object: object, queue: nil) {
                notification in
                observer.send(value: transform(notification))
            }
            lifetime.observeEnded { center.removeObserver(token) }
        }
    }

    /// Returns a signal that delivers each time `object` posts a notification with this name. Without a name, all names
    /// count; without an object, all objects.
    public func notifications(forName name: Notification.Name?, object: AnyObject? = nil) -> Signal<Void, NoError> {
        notifications(forName: name, object: object) { _ in }
    }
}

extension Reactive where Base: URLSession {
    /// Makes a producer that performs `request` at each start. Disposing the start cancels the request.
    ///
    /// An answer with any status code is a value.
    public func data(with request: URLRequest) -> SignalProducer<(Data, URLResponse), any Swift.Error> {
        let session: URLSession = base
        return SignalProducer { observer, lifetime in
            let task = session.dataTask(with: request) { data, response, error in
                if let data, let response {
                    observer.send(value: (data, response))
                    observer.sendCompleted()
                } else {
                    observer.send(error: error ?? URLError(.badServerResponse))
                }
            }
            lifetime.observeEnded { task.cancel() }
            task.resume()
        }
    }
}
