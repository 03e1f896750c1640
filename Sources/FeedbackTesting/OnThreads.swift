import Foundation

/// Runs `body` on `count` threads of their own, all at once, and returns when all are done. It holds no thread meanwhile.
///
/// ```swift
/// let count = MutableProperty(0)
/// await onThreads(8) { _ in
///     for _ in 0..<1_000 { count.modify { $0 += 1 } }
/// }
/// #expect(count.value == 8_000)
/// ```
///
/// `DispatchQueue.concurrentPerform` and task groups run only as many at once as there are cores, so on a small machine a test
/// of eight threads is one of two.
///
/// - Parameter body: Gets the number of its thread, from 0.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    await withCheckedContinuation { continuation in
        detach(count, body).notify(queue: .global()) { continuation.resume() }
    }
}

/// The same for code that cannot await: it blocks the calling thread.
public func onThreadsBlocking(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    detach(count, body).wait()
}

private func detach(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) -> DispatchGroup {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
            body(index)
            group.leave()
        }
    }
    return group
}
