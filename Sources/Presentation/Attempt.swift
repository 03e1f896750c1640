/// The progress of something that a screen has asked for, and may ask for again.
///
/// ```swift
/// struct State { var loading = Attempt<CoreError>.idle }
///
/// var state = State()
/// state.loading.start()               // under way, for the first time
/// state.loading.fail(.cancelled)      // failed
/// state.loading.start()               // under way, for the second time
/// state.loading = .done
/// ```
public enum Attempt<Failure: Error>: Sendable {
    /// Nothing has been asked for yet.
    case idle
    /// The attempt with this number, from 1, is under way. The attempts before it failed.
    case underWay(number: Int = 1)
    /// The last attempt succeeded.
    case done
    /// As many attempts as `number` have failed in a row, the last one with this error.
    case failed(Failure, number: Int)
}

extension Attempt {
    /// True if an attempt is under way.
    public var isUnderWay: Bool { if case .underWay = self { true } else { false } }

    /// True if the last attempt has succeeded.
    public var isDone: Bool { if case .done = self { true } else { false } }

    /// The error of the last attempt, if that failed.
    public var failure: Failure? { if case let .failed(error, _) = self { error } else { nil } }

    /// Begins an attempt: the next one after a failure, otherwise the first. Does nothing while one is under way.
    public mutating func start() {
        switch self {
        case .idle, .done: self = .underWay()
        case .underWay: break
        case let .failed(_, number): self = .underWay(number: number < .max ? number + 1 : number)
        }
    }

    /// Ends the attempt that is under way with an error.
    ///
    /// Does nothing if none is: an error that comes after ``done`` belongs to an attempt that another one has overtaken,
    /// and the screen shows what that one brought. Work that can fail without being asked for is an attempt, too: call
    /// ``start()`` when it begins.
    public mutating func fail(_ error: Failure) {
        if case let .underWay(number) = self { self = .failed(error, number: number) }
    }
}

extension Attempt: Equatable where Failure: Equatable {}

// MARK: - On the screen

extension Attempt {
    /// The rows that show the attempt: its progress while it is under way, and its error with a button to try again.
    ///
    /// ```swift
    /// Section(rows: state.loading.rows("Loading the cities", retry: .refresh))
    /// ```
    ///
    /// - Parameters:
    ///   - activity: The work, as a person calls it: `Loading the cities`.
    ///   - retry: The action of the button to try again.
    public func rows<Action>(_ activity: String, retry: Action) -> [Screen<Action>.Row] {
        switch self {
        case .idle, .done: []
        case let .underWay(number): [.progress(activity, attempt: number)]
        case let .failed(error, _): [.notice(.error, "\(error)", button: .tryAgain(retry))]
        }
    }
}

extension Screen.Button {
    /// Makes the button that repeats what failed. It has the same key on all screens. The key is not a letter, so that
    /// it also works while a text field has the focus.
    public static func tryAgain(_ action: Action) -> Self {
        .init("Try again", key: .control("t"), action: action)
    }
}
