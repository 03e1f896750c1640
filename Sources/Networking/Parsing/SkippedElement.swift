/// A report on an element that pruning left out of a list: its index, its path, and the reason.
///
/// Most reports are only counted, or ignored, so the error is put into words only when `path` or `reason` is read.
public struct SkippedElement: Sendable {
    /// The index of the element in the list as it was sent.
    public var index: Int
    private var cause: Cause

    private enum Cause {
        case words(path: String, reason: String)
        case error(any Error)
    }

    /// Makes a report on an element, for fixtures and tests.
    public init(index: Int, path: String, reason: String) {
        self.index = index
        cause = .words(path: path, reason: reason)
    }

    init(_ error: any Error, at index: Int) {
        self.index = index
        cause = .error(error)
    }

    /// The coding path at which decoding failed, as in `cities[2].name`.
    public var path: String {
        get { words.path }
        set { cause = .words(path: newValue, reason: reason) }
    }

    /// A sentence about why it could not be decoded.
    public var reason: String {
        get { words.reason }
        set { cause = .words(path: path, reason: newValue) }
    }

    private var words: (path: String, reason: String) {
        switch cause {
        case .words(let path, let reason): return (path, reason)
        case .error(let error):
            let failure = ParsingFailure(skipping: error)
            return (failure.path, failure.reason)
        }
    }
}

extension SkippedElement: Hashable {
    public static func == (a: SkippedElement, b: SkippedElement) -> Bool {
        a.index == b.index && a.words == b.words
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(path)
        hasher.combine(reason)
    }
}

extension SkippedElement: CustomStringConvertible {
    public var description: String { "Left out element \(index)\(path.isEmpty ? "" : ", at \(path)"): \(reason)" }
}

extension Parser {
    /// Calls the observer with every element that pruning leaves out while `body` runs, also in a ``Pruned`` property.
    ///
    /// Observers nest: if there is an inner observer, the outer one is called, too.
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
