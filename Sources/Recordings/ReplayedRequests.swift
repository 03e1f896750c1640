import Canned
import Feedback
import Foundation
import Networking

/// The requests of a replay, each of which waits until its recorded answer is due.
final class ReplayedRequests: Transport {
    struct Waiting: Sendable {
        fileprivate let id: UUID
        fileprivate let request: TransportRequest
        fileprivate let continuation: CheckedContinuation<Result<TransportResponse, CoreError>, Never>
    }

    private struct Contents: Sendable {
        var waiting: [Waiting] = []
        var hasEnded = false
    }

    private let contents = Locked(Contents())

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let id = UUID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                contents.withLock {
                    $0.waiting.append(Waiting(id: id, request: request, continuation: continuation))
                }
                // The task may have been cancelled, or the run may have ended, before the request was added.
                if Task.isCancelled || contents.withLock(\.hasEnded) { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }

    /// Takes the first waiting request that `matches` accepts, to be answered.
    func take(_ matches: (TransportRequest) -> Bool) -> Waiting? {
        contents.withLock { contents in
            contents.waiting.firstIndex { matches($0.request) }.map { contents.waiting.remove(at: $0) }
        }
    }

    /// Returns the requests that wait, without those that waited at the end of the recording, too.
    func waiting(beside recorded: [Recording.Request]) -> [TransportRequest] {
        var recorded = recorded
        return contents.withLock { $0.waiting.map(\.request) }.filter { request in
            guard let match = recorded.firstIndex(where: { $0.matches(request) }) else { return true }
            recorded.remove(at: match)
            return false
        }
    }

    /// Refuses all requests from now on.
    func refuseAll() {
        let waiting = contents.withLock { contents in
            defer { contents.waiting = [] }
            contents.hasEnded = true
            return contents.waiting
        }
        for request in waiting { request.continuation.resume(returning: .failure(.cancelled)) }
    }

    private func cancel(_ id: UUID) {
        let waiting = contents.withLock { contents in
            contents.waiting.firstIndex { $0.id == id }.map { contents.waiting.remove(at: $0) }
        }
        waiting?.continuation.resume(returning: .failure(.cancelled))
    }
}

extension ReplayedRequests.Waiting {
    func answer(with outcome: CannedAnswer.Outcome) {
        switch outcome {
        case let .failure(error):
            continuation.resume(returning: .failure(error))
        case let .response(status, headers, body):
            do throws(CoreError) {
                let kept = try request.destination.deliver(body, status: status, from: request.url)
                let response = try TransportResponse(status: status, headers: headers, body: kept, url: request.url)
                continuation.resume(returning: .success(response))
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }
}
