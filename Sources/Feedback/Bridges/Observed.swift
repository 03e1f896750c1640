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
/// A view that reads a stored property which is `Equatable`, such as `state.title` or `state.form.name`, is drawn again
/// only when that has changed. A view that reads ``value``, or anything else, is drawn again after each change: a computed
/// property, `rows[3]` or `draft!.name` need not have a value in the next state, so they are not read from it until the
/// view reads them. An `Observed` follows the property as long as it lives.
@dynamicMemberLookup
public final class Observed<Value: Sendable>: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let current: Locked<Value>
    /// The parts that are tracked, and some that no longer are.
    private let parts = Locked<[PartKey<Value>: WeakPart<Value>]>([:])
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

    /// A part of the value. If it is a stored property, its readers are told of its changes only.
    public subscript<Part: Equatable>(dynamicMember keyPath: KeyPath<Value, Part>) -> Part {
        // Only a stored property can be read from every value: an index or a `!` can end the process.
        guard MemoryLayout<Value>.offset(of: keyPath) != nil else { return value[keyPath: keyPath] }
        let key = PartKey(keyPath: keyPath)
        let part = parts.withLock { parts -> ObservedPart<Value> in
            if let known = parts[key]?.part { return known }
            let part = ObservedPart<Value> { $0[keyPath: keyPath] != $1[keyPath: keyPath] }
            parts[key] = WeakPart(part: part)
            return part
        }
        // The tracker keeps the key path, and the key path keeps the part.
        registrar.access(self, keyPath: \.[part: part])
        return current.withLock { $0 }[keyPath: keyPath]
    }

    /// The property by which the registrar knows a part.
    private subscript(part part: ObservedPart<Value>) -> ObservedPart<Value> { part }

    private func set(_ value: Value) {
        var replaced = value
        registrar.withMutation(of: self, keyPath: \.value) {
            current.withLock { Swift.swap(&$0, &replaced) }
        }
        // Found after the change. A reader adds its part before it reads the value: it gets the new one, or is found
        // here.
        for part in trackedParts() where part.hasChanged(replaced, value) {
            registrar.withMutation(of: self, keyPath: \.[part: part]) {}
        }
    }

    /// Returns the parts that are tracked, and forgets the others.
    private func trackedParts() -> [ObservedPart<Value>] {
        parts.withLock { parts in
            let tracked = parts.values.compactMap(\.part)
            if tracked.count < parts.count { parts = parts.filter { $0.value.part != nil } }
            return tracked
        }
    }
}

/// A stored property of the value that is tracked. It lives until the trackers are told of a change or give up.
// Unchecked, as key paths are not declared to be sendable, nor is a function of one. They do not change.
private final class ObservedPart<Root>: Hashable, @unchecked Sendable {
    /// Returns true if the part differs between an old value and a new one.
    let hasChanged: (_ old: Root, _ new: Root) -> Bool

    init(hasChanged: @escaping (_ old: Root, _ new: Root) -> Bool) { self.hasChanged = hasChanged }

    static func == (a: ObservedPart, b: ObservedPart) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// Unchecked for the same reason.
private struct PartKey<Root>: Hashable, @unchecked Sendable {
    let keyPath: PartialKeyPath<Root>
}

private struct WeakPart<Root>: Sendable {
    weak let part: ObservedPart<Root>?
}
