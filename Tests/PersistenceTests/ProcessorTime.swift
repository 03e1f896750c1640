import Foundation

/// The least time, of several runs of `body`, for which the processor has worked on this thread, in seconds: other work of the
/// machine does not count.
func leastProcessorTime<Failure>(of runs: Int, _ body: () throws(Failure) -> Void) throws(Failure) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    var least = Double.infinity
    for _ in 0..<runs {
        let start = now()
        try body()
        least = min(least, now() - start)
    }
    return least
}
