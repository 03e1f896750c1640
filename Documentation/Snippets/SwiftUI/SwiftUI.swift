// Stands for SwiftUI where there is none, so that the code for it is compiled and run on Linux too. It declares only what that
// code uses, as SwiftUI does, and draws nothing.

/// A value that a view reads and writes.
@propertyWrapper
public struct Binding<Value> {
    private let get: @isolated(any) @Sendable () -> Value
    private let set: @isolated(any) @Sendable (Value) -> Void

    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        self.get = get
        self.set = set
    }

    // Views are drawn on the main actor, where SwiftUI calls the functions without waiting.
    @MainActor public var wrappedValue: Value {
        get { assumed(get)() }
        nonmutating set { assumed(set)(newValue) }
    }

    public var projectedValue: Binding { self }
}

private func assumed<Value>(_ function: @escaping @isolated(any) @Sendable () -> Value) -> @Sendable () -> Value {
    unsafeBitCast(function, to: (@Sendable () -> Value).self)
}

private func assumed<Value>(
    _ function: @escaping @isolated(any) @Sendable (Value) -> Void
) -> @Sendable (Value) -> Void {
    unsafeBitCast(function, to: (@Sendable (Value) -> Void).self)
}

/// A value that a view keeps.
@propertyWrapper
public struct State<Value> {
    private let storage: Storage

    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }
    public init(initialValue: Value) { storage = Storage(initialValue) }

    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }
}

/// A part of what an app shows.
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { return fatalError() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Group<(repeat each Content)> {
        Group()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Group<Content?> { Group() }
}

/// Several views.
public struct Group<Content>: View {
    nonisolated init() {}
    public var body: Never { return fatalError() }
}

/// Views for entering data.
public struct Form<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError() }
}

/// A line of text.
public struct Text: View {
    public init<Title: StringProtocol>(_ title: Title) {}
    public var body: Never { return fatalError() }
}

/// Something to press.
public struct Button: View {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return fatalError() }
}

/// A line of text to edit.
public struct TextField: View {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
    public var body: Never { return fatalError() }
}
