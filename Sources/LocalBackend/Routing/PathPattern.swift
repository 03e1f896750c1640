/// A path with parameters, `/v1/cities/:id`.
struct PathPattern: Sendable {
    enum Segment: Sendable, Equatable {
        case literal(String)
        case parameter(String)
    }

    let segments: [Segment]

    init(_ text: String) {
        segments = text.split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst(text.hasPrefix("/") ? 1 : 0)
            .map { $0.hasPrefix(":") ? .parameter(String($0.dropFirst())) : .literal(String($0)) }
    }

    /// The pattern as it is written: `/v1/cities/:id`.
    var text: String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/\(text)"
            case .parameter(let name): "/:\(name)"
            }
        }.joined()
    }

    /// Returns the values of the parameters in a path of these segments; `nil` if the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal):
                guard literal == text else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = text
            }
        }
        return parameters
    }

    /// Returns true if this pattern is the better one of two that match the same path: at the first segment where they
    /// differ, this one is literal.
    func isMoreSpecific(than other: PathPattern) -> Bool {
        for (mine, theirs) in zip(shape, other.shape) where mine != theirs { return mine != nil }
        return false
    }

    func hasSameShape(as other: PathPattern) -> Bool { shape == other.shape }

    private var shape: [String?] {
        segments.map { if case .literal(let text) = $0 { text } else { nil } }
    }
}
