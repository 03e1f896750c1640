import Presentation

extension AnimalsLibrary.Status {
    /// What a screen shows of it while waiting, and after a failure, which can be tried again.
    func rows<Action>(_ activity: String, retry: Action) -> [Screen<Action>.Row] {
        switch self {
        case .empty, .success: []
        case let .waiting(attempt): [.progress(activity, attempt: attempt)]
        case let .failure(error, _):
            [.notice(.error, "\(error)", button: .init("Try again", key: .control("t"), action: retry))]
        }
    }
}
