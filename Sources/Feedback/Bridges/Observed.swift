import Observation

/// A property as something that Observation tracks, so that a SwiftUI view which reads it is drawn again when it changes.
///
/// ```swift
/// struct CitiesView: View {
///     let state: Observed<CitiesState>               // Observed(viewModel.state)
///     var body: some View { Text(state.title) }      // drawn again when the title changes
/// }
/// ```
///
/// A view that reads a part which is `Equatable` is drawn again only when that part has changed. A view that reads ``value``,
/// or a part of another kind, is drawn again after each change. It follows the property as long as it lives.
@dynamicMemberLookup
public final class Observed<Value: Sendable>: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let current: Locked<Value>
    /// The parts that have been read.
    private let parts = Locked<[any ObservedPart<Value>]>([])
    private let token = Lifetime.Token()

    /// Makes it follow `property`.
    ///
    /// - Parameter scheduler: The scheduler on which changes arrive; by default on the main thread, where views are drawn.
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

    /// A part of the value, whose readers are told of its own changes only.
    public subscript<Part: Equatable>(dynamicMember keyPath: KeyPath<Value, Part>) -> Part {
        let part = EquatablePart(keyPath: keyPath)
        parts.withLock { parts in if !parts.contains(where: { $0.key == part.key }) { parts.append(part) } }
        registrar.access(self, keyPath: \.[part: keyPath])
        return current.withLock { $0 }[keyPath: keyPath]
    }

    /// The property by which the registrar knows a part.
    private subscript(part keyPath: PartialKeyPath<Value>) -> Any { current.withLock { $0 }[keyPath: keyPath] }

    private func set(_ value: Value) {
        var replaced = value
        registrar.withMutation(of: self, keyPath: \.value) {
            current.withLock { Swift.swap(&$0, &replaced) }
        }
        // After the change: a reader adds its part first, so that it gets the new value, or its part is found here.
        for part in parts.withLock({ $0 }) where part.hasChanged(from: replaced, to: value) {
            registrar.withMutation(of: self, keyPath: \.[part: part.key]) {}
        }
    }
}

/// A part of a value, and how to see that it has changed.
private protocol ObservedPart<Root>: Sendable {
    associatedtype Root
    var key: PartialKeyPath<Root> { get }
    func hasChanged(from old: Root, to new: Root) -> Bool
}

// Unchecked, as key paths are not declared to be sendable. They do not change.
private struct EquatablePart<Root, Part: Equatable>: ObservedPart, @unchecked Sendable {
    let keyPath: KeyPath<Root, Part>

    var key: PartialKeyPath<Root> { keyPath }

    func hasChanged(from old: Root, to new: Root) -> Bool { old[keyPath: keyPath] != new[keyPath: keyPath] }
}
