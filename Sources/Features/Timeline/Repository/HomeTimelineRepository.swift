import Feedback
import Networking
import Persistence

/// A repository of the home timeline, which is kept in the cache and fetched page by page.
struct HomeTimelineRepository: Sendable {
    let accessible: any AuthenticatedAccessible
    let cache: NormalizedCache

    /// Emits the known part of the timeline; `nil` before it was first fetched.
    func watch() -> SignalProducer<CachedList<Status>?, NoError> { cache.watch(TimelineKey.home) }

    /// Fetches the newest page, and adds it to the top. If there are more new statuses, a gap is left.
    ///
    /// - Returns: A producer of the number of elements that could not be read.
    func refresh() -> SignalProducer<Int, CoreError> {
        cache.fetch {
            accessible.access(TimelineService.fetchHome(.init(sinceID: cache.list(TimelineKey.home)?.ids.first)))
        } store: { page, batch in
            batch.store(page.statuses)
            batch.updateList(TimelineKey.home) { list in
                let ids = page.statuses.map(\.id)
                if list.isEmpty {
                    list = EntityList(ids, next: page.next)
                } else {
                    list.prepend(ids, hasMore: page.next != nil && !ids.isEmpty)
                }
            }
            return page.leftOut
        }
    }

    /// Fetches the page after the last status. It completes at once if there is none.
    func fetchOlder() -> SignalProducer<Int, CoreError> {
        cache.fetchNext(of: .home) { accessible.access(TimelineService.fetchHome(.init(maxID: $0))) }
    }

    /// Fetches a page of the statuses that are missing after a status. Fails if none of the page can be read: the gap
    /// stays, to try again.
    func fillGap(after id: Status.ID) -> SignalProducer<Int, CoreError> {
        cache.fetch { () -> SignalProducer<StatusPage, CoreError> in
            guard let list = cache.list(TimelineKey.home), list.gaps.contains(id),
                let index = list.ids.firstIndex(of: id)
            else { return .empty }
            let below = index + 1 < list.ids.count ? list.ids[index + 1] : nil
            return accessible.access(TimelineService.fetchHome(.init(maxID: id, sinceID: below)))
                .attemptMap { page throws(CoreError) in
                    if page.statuses.isEmpty, page.leftOut > 0 { throw .parsing(Self.unreadable(page.leftOut)) }
                    return page
                }
        } store: { page, batch in
            batch.store(page.statuses)
            batch.updateList(TimelineKey.home) { list in
                let hasMore = page.next != nil && !page.statuses.isEmpty
                list.fill(gapAfter: id, with: page.statuses.map(\.id), hasMore: hasMore)
            }
            return page.leftOut
        }
    }

    private static func unreadable(_ count: Int) -> ParsingFailure {
        ParsingFailure(
            reason: count == 1
                ? "The only status of the page cannot be read."
                : "None of the \(count) statuses of the page can be read.")
    }
}

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
