/// An element that pruning left out of a list: which, where, and why.
public struct SkippedElement: Hashable, Sendable {
    /// Its place in the list as it was sent, counted from zero.
    public var index: Int
    /// The coding path at which decoding failed, as in `cities[2].name`.
    public var path: String
    /// A sentence about why it could not be decoded.
    public var reason: String

    /// Makes a report on an element, for fixtures and tests.
    public init(index: Int, path: String, reason: String) {
        self.index = index
        self.path = path
        self.reason = reason
    }
}

extension SkippedElement: CustomStringConvertible {
    public var description: String { "Left out element \(index)\(path.isEmpty ? "" : ", at \(path)"): \(reason)" }
}

extension Parser {
    /// Tells the observer of every element that pruning leaves out while `body` runs, also inside a ``Pruned`` property.
    ///
    /// Observers nest: an inner one does not silence an outer one.
    public static func observingSkips<Result>(
        _ observer: @escaping @Sendable (SkippedElement) -> Void, during body: () throws -> Result
    ) rethrows -> Result {
        let outer = skipObserver
        return try $skipObserver.withValue(
            { skipped in
                observer(skipped); outer?(skipped)
            }, operation: body)
    }

    /// The observers of skipped elements on this thread or task, at this moment.
    @TaskLocal static var skipObserver: (@Sendable (SkippedElement) -> Void)?

    static func reportingSkips<Result>(
        to observer: (@Sendable (SkippedElement) -> Void)?, during body: () throws -> Result
    ) rethrows -> Result {
        guard let observer else { return try body() }
        return try observingSkips(observer, during: body)
    }
}
