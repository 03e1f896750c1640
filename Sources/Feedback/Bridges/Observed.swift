import Observation

/// A property as something that Observation tracks, so that a SwiftUI view which reads it is drawn again when it changes.
///
/// ```swift
/// struct CitiesView: View {
///     let state: Observed<CitiesState>               // Observed(viewModel.state)
///     var body: some View { Text(state.title) }      // followed from here on
/// }
/// ```
///
/// It follows the property as long as it lives.
@dynamicMemberLookup
public final class Observed<Value: Sendable>: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let current: Locked<Value>
    private let token = Lifetime.Token()

    /// Makes it follow `property`.
    ///
    /// - Parameter scheduler: Where changes arrive; on the main thread, where views are drawn, if nothing is said.
    public convenience init(_ property: some PropertyProtocol<Value>, on scheduler: any Scheduler = UIScheduler()) {
        self.init(showing: property)
        Lifetime(token.scope) += property.producer.observe(on: scheduler).startWithValues { [weak self] value in
            self?.set(value)
        }
    }

    /// Has a frame of its own, which is gone when changes arrive: a value may be large.
    private init(showing property: some PropertyProtocol<Value>) {
        current = Locked(property.value)
    }

    /// The value of the property, as of the last change that has arrived.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        return current.withLock { $0 }
    }

    /// A part of the value.
    public subscript<Part>(dynamicMember keyPath: KeyPath<Value, Part>) -> Part {
        value[keyPath: keyPath]
    }

    private func set(_ value: Value) {
        registrar.withMutation(of: self, keyPath: \.value) {
            var replaced = value  // Let go of outside the lock.
            current.withLock { Swift.swap(&$0, &replaced) }
        }
    }
}
