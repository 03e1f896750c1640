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
        }
    }

    /// Fetches the page after the last status. It completes at once if there is none.
    func fetchOlder() -> SignalProducer<Int, CoreError> {
        cache.fetchNext(of: .home) { accessible.access(TimelineService.fetchHome(.init(maxID: $0))) }
    }

    /// Fetches a page of the statuses that are missing after a status.
    func fillGap(after id: Status.ID) -> SignalProducer<Int, CoreError> {
        cache.fetch {
            guard let list = cache.list(TimelineKey.home), list.gaps.contains(id),
                let index = list.ids.firstIndex(of: id)
            else { return .empty }
            let below = index + 1 < list.ids.count ? list.ids[index + 1] : nil
            return accessible.access(TimelineService.fetchHome(.init(maxID: id, sinceID: below)))
        } store: { page, batch in
            batch.store(page.statuses)
            batch.updateList(TimelineKey.home) { list in
                let ids = page.statuses.map(\.id)
                list.fill(gapAfter: id, with: ids, hasMore: page.next != nil && !ids.isEmpty)
            }
        }
    }
}

extension NormalizedCache {
    /// Fetches a page, and stores it as of the moment of the request.
    func fetch(
        _ request: @escaping @Sendable () -> SignalProducer<StatusPage, CoreError>,
        store: @escaping @Sendable (StatusPage, inout CacheBatch) -> Void
    ) -> SignalProducer<Int, CoreError> {
        SignalProducer { [self] observer, lifetime in
            let moment = moment()
            let pages = request().map { [self] page in
                change(asOf: moment) { store(page, &$0) }
                return page.leftOut
            }
            lifetime += pages.start(observer)
        }
    }

    /// Fetches the page after the last status of a list.
    func fetchNext(
        of key: TimelineKey, _ request: @escaping @Sendable (Status.ID) -> SignalProducer<StatusPage, CoreError>
    ) -> SignalProducer<Int, CoreError> {
        let asked = Locked<Status.ID?>(nil)
        return fetch { [self] in
            guard let next = list(key)?.next else { return .empty }
            asked.withLock { $0 = next }
            return request(next)
        } store: { page, batch in
            let asked = asked.withLock { $0 }
            batch.store(page.statuses)
            batch.updateList(key) { list in
                guard list.next == asked else { return }
                // If a server links back to the same page, following its links would never end.
                list.append(page.statuses.map(\.id), next: page.next == asked ? nil : page.next)
            }
        }
    }
}
