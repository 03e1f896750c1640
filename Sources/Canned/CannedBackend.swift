import Feedback
import Foundation
import Networking

/// Answers requests from a folder of canned JSON, through the real session, handlers and parser.
///
/// ```swift
/// let backend = try CannedBackend(folder)
/// let cities = try await backend.session().access(CitiesService.fetchCities())
/// #expect(backend.requests.first?.headers["Authorization"] == "Bearer canned")
/// ```
///
/// A request gets the answer with its method, path and query. If several match, they are given in the order of their
/// file names, one after the other, and the last one to every further request. A request without an answer fails; the
/// error lists the most similar answers.
public final class CannedBackend: Transport {
    private struct State {
        var isOffline = false
        /// The answers of ``answer(_:)``, the latest first.
        var overrides: [(id: UUID, answer: CannedAnswer)] = []
        /// The answers from the beginning, and whether each was given.
        var answers: [(answer: CannedAnswer, wasGiven: Bool)]
        var requests: [RecordedRequest] = []

        /// Returns the answer to a request, and notes that it was given.
        mutating func takeAnswer(to request: RecordedRequest) -> CannedAnswer? {
            if let override = overrides.first(where: { $0.answer.answers(request) }) { return override.answer }
            let matches = answers.indices.filter { answers[$0].answer.answers(request) }
            guard let index = matches.first(where: { !answers[$0].wasGiven }) ?? matches.last else { return nil }
            answers[index].wasGiven = true
            return answers[index].answer
        }
    }

    private let state: Locked<State>

    /// Makes a backend from a folder in which every `.json` file is a ``CannedAnswer``.
    public convenience init(_ folder: URL) throws(CannedError) {
        self.init(try CannedFile.answers(in: folder))
    }

    /// Makes a backend with these answers; without any, every request fails until ``answer(_:)`` adds one.
    public init(_ answers: [CannedAnswer] = []) {
        state = Locked(State(answers: answers.map { ($0, false) }))
    }

    /// Answers with `answer` from now on every request that it fits.
    ///
    /// It comes before the answers of the folder, and before those that were added earlier. Other requests are answered
    /// as before.
    ///
    /// ```swift
    /// let backend = try CannedBackend(folder)
    /// let busy = backend.answer(CannedAnswer(.GET, "/v1/cities", status: 503))
    /// …
    /// busy.dispose()
    /// ```
    ///
    /// - Returns: A disposable that takes the answer back: the requests are then answered as if it had never been given.
    @discardableResult
    public func answer(_ answer: CannedAnswer) -> any Disposable {
        let id = UUID()
        state.withLock { $0.overrides.insert((id, answer), at: 0) }
        return AnyDisposable { [weak self] in
            self?.state.withLock { $0.overrides.removeAll { $0.id == id } }
        }
    }

    /// True to answer as if there were no network: each request fails with `NetworkFailure.Reason.offline`, and the
    /// answers wait. The request is among the ``requests`` all the same.
    public var isOffline: Bool {
        get { state.withLock(\.isOffline) }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// All requests so far, in the order in which they were sent.
    public var requests: [RecordedRequest] { state.withLock(\.requests) }

    /// Returns a session that uses this backend, by default with `Bearer canned` as credentials.
    public func session(
        environment: BackendEnvironment = .production,
        credentials: any CredentialProvider = FixedCredentials(.bearer("canned")),
        configure: (inout BackendSession.Configuration) -> Void = { _ in }
    ) -> BackendSession {
        BackendSession(environment: environment, credentials: credentials, transport: self, configure: configure)
    }

    // MARK: - Transport

    /// Records the request, and answers it with the first canned answer that fits.
    public func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        if Task.isCancelled { throw .cancelled }
        try request.validate()
        let recorded = RecordedRequest(request, body: try await request.body?.collected() ?? Data())
        switch try outcome(for: recorded, at: request.url) {
        case .failure(let error):
            throw error
        case .response(let status, let headers, let body):
            let kept = try request.destination.deliver(body, status: status, from: request.url)
            let size = Int64(body.count)
            request.progress?(
                TransferProgress(
                    bytesSent: Int64(recorded.body.count), bytesToSend: Int64(recorded.body.count), bytesReceived: size,
                    bytesToReceive: size))
            return try TransportResponse(status: status, headers: headers, body: kept, url: request.url)
        }
    }

    private func outcome(for request: RecordedRequest, at url: URL) throws(CoreError) -> CannedAnswer.Outcome {
        let (outcome, answers) = state.withLock { state -> (CannedAnswer.Outcome?, [CannedAnswer]) in
            state.requests.append(request)
            if state.isOffline { return (.failure(.network(NetworkFailure(.offline, url: url.redacted))), []) }
            if let answer = state.takeAnswer(to: request) { return (answer.outcome, []) }
            return (nil, state.overrides.map(\.answer) + state.answers.map(\.answer))
        }
        if let outcome { return outcome }
        let likeliest = answers.map { ($0.distance(from: request), $0) }.sorted { $0.0 < $1.0 }.prefix(5)
        let list = likeliest.map { "\n  \($0.1)" }.joined()
        let hint =
            list.isEmpty ? "There are no canned answers at all." : "These are answered, the likeliest first:\(list)"
        let differsInQuery = likeliest.first.map { $0.1.differsInQuery(from: request) } ?? false
        let query = differsInQuery ? "\nThe request has \"query\":\(CannedFile.query(request.query))" : ""
        let hasMark = request.path.contains("?") || likeliest.first?.1.path.contains("?") == true
        let mark = hasMark ? "\nA \"?\" in a path is a part of it. If a query is meant, give it as `query`." : ""
        throw .request(RequestFailure("Nothing answers \(request). \(hint)\(query)\(mark)"))
    }
}
