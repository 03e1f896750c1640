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
