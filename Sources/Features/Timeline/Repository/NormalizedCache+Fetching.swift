import Feedback
import Networking
import Persistence

extension NormalizedCache {
    /// Fetches an answer, and stores it as of the moment of the request.
    ///
    /// - Parameter store: Stores the answer, and returns the number of its elements that could not be read.
    func fetch<Answer>(
        _ request: @escaping @Sendable () -> SignalProducer<Answer, CoreError>,
        store: @escaping @Sendable (Answer, inout CacheBatch) -> Int
    ) -> SignalProducer<Int, CoreError> {
        SignalProducer { [self] observer, lifetime in
            let moment = moment()
            let answers = request().map { [self] answer in
                var leftOut = 0
                change(asOf: moment) { leftOut = store(answer, &$0) }
                return leftOut
            }
            lifetime += answers.start(observer)
        }
    }

    /// Fetches the page after the last status of a list. It completes at once if there is none.
    func fetchNext(
        of key: TimelineKey, _ request: @escaping @Sendable (Status.ID) -> SignalProducer<StatusPage, CoreError>
    ) -> SignalProducer<Int, CoreError> {
        fetch { [self] () -> SignalProducer<(asked: Status.ID, page: StatusPage), CoreError> in
            guard let asked = list(key)?.next else { return .empty }
            return request(asked).map { (asked: asked, page: $0) }
        } store: { answer, batch in
            let (asked, page) = answer
            batch.store(page.statuses)
            batch.updateList(key) { list in
                guard list.next == asked else { return }
                // If a server links back to the same page, following its links would never end.
                list.append(page.statuses.map(\.id), next: page.next == asked ? nil : page.next)
            }
            return page.leftOut
        }
    }
}
