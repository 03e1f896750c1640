import Observation

/// A property as something that Observation tracks, so that a SwiftUI view which reads it is drawn again when it
/// changes.
///
/// ```swift
/// struct CitiesView: View {
///     let state: Observed<CitiesState>               // Observed(viewModel.state)
///     var body: some View { Text(state.title) }      // drawn again when the title changes
/// }
/// ```
///
/// A view that reads a part which is `Equatable` is drawn again only when that part has changed. A view that reads
/// ``value``, or a part of another kind, is drawn again after each change. An `Observed` follows the property as long
/// as it lives.
@dynamicMemberLookup
public final class Observed<Value: Sendable>: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let current: Locked<Value>
    /// The parts that have been read.
    private let parts = Locked<[any ObservedPart<Value>]>([])
    private let token = Lifetime.Token()

    /// Makes an object that follows `property`.
    ///
    /// - Parameter scheduler: The scheduler on which changes arrive; by default on the main thread, where views are
    ///   drawn.
    public convenience init(_ property: some PropertyProtocol<Value>, on scheduler: any Scheduler = UIScheduler()) {
        self.init(showing: property)
        Lifetime(token.scope) += property.producer.observe(on: scheduler).startWithValues { [weak self] value in
            self?.set(value)
        }
    }

    /// A separate function, so that its copy of the value, which may be large, is off the stack when changes arrive.
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

    /// A part of the value. Its readers are told of changes of this part only.
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
        // Read after the change. A reader adds its part before it reads the value: it gets the new one, or is found
        // here.
        for part in parts.withLock({ $0 }) where part.hasChanged(from: replaced, to: value) {
            registrar.withMutation(of: self, keyPath: \.[part: part.key]) {}
        }
    }
}

/// A part of a value, with a function that tells if it has changed.
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
