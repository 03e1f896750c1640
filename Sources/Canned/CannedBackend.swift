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
        var answers: [CannedAnswer]
        var requests: [RecordedRequest] = []
        /// The number of times each answer was given, by its index.
        var uses: [Int: Int] = [:]
    }

    private let state: Locked<State>

    /// Makes a backend from a folder in which every `.json` file is a ``CannedAnswer``.
    public convenience init(_ folder: URL) throws(CannedError) {
        self.init(try CannedFile.answers(in: folder))
    }

    /// Makes a backend with these answers; without any, every request fails until ``answer(_:)`` adds one.
    public init(_ answers: [CannedAnswer] = []) {
        state = Locked(State(answers: answers))
    }

    /// Adds an answer, in place of all answers with the same method, path and query. Answers that were given before are
    /// given again from the first one on.
    public func answer(_ answer: CannedAnswer) {
        state.withLock { state in
            state.answers.removeAll { $0.method == answer.method && $0.path == answer.path && $0.query == answer.query }
            state.answers.append(answer)
            state.uses = [:]
        }
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
        let recorded = RecordedRequest(request, body: try await request.body?.collected() ?? Data())
        switch try outcome(for: recorded) {
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

    private func outcome(for request: RecordedRequest) throws(CoreError) -> CannedAnswer.Outcome {
        let (answer, answers) = state.withLock { state -> (CannedAnswer?, [CannedAnswer]) in
            state.requests.append(request)
            let matches = state.answers.indices.filter { state.answers[$0].answers(request) }
            guard let index = matches.first(where: { state.uses[$0] == nil }) ?? matches.last else {
                return (nil, state.answers)
            }
            state.uses[index, default: 0] += 1
            return (state.answers[index], [])
        }
        if let answer { return answer.outcome }
        let likeliest = answers.map { ($0.distance(from: request), $0) }.sorted { $0.0 < $1.0 }.prefix(5)
        let list = likeliest.map { "\n  \($0.1)" }.joined()
        let hint =
            list.isEmpty ? "There are no canned answers at all." : "These are answered, the likeliest first:\(list)"
        let differsInQuery = likeliest.first.map { $0.1.differsInQuery(from: request) } ?? false
        let query = differsInQuery ? "\nThe request has \"query\":\(CannedFile.query(request.query))" : ""
        throw .request(RequestFailure("Nothing answers \(request). \(hint)\(query)"))
    }
}
