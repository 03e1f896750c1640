import Networking

extension CoreError {
    /// A failure that a person would try again.
    public static func fixture(_ reason: NetworkFailure.Reason = .timedOut) -> CoreError {
        .network(NetworkFailure(reason, url: "https://api.example.com/v1"))
    }
}

extension SkippedElement {
    public static func fixture(index: Int = 1, path: String = "cities[1].name", reason: String = "No city.")
        -> SkippedElement
    {
        SkippedElement(index: index, path: path, reason: reason)
    }
}
