import Feedback
import Foundation

/// Wakes a thread that waits for input.
///
/// The thread waits for a pipe of the alarm together with its input. While the process has no descriptors left for the
/// pipe, the thread looks at short intervals if the alarm has rung.
final class Alarm: Sendable {
    private struct State: Sendable {
        var pipe: (reading: Int32, writing: Int32)?
        /// `true` if the alarm has rung while there was no pipe.
        var hasRung = false
    }

    /// The time in milliseconds between two looks at an alarm without a pipe.
    private static var interval: Int32 { 50 }

    private let makePipe: @Sendable () -> (reading: Int32, writing: Int32)?
    private let state = Locked(State())

    init(makePipe: @escaping @Sendable () -> (reading: Int32, writing: Int32)? = Alarm.makePipe) {
        self.makePipe = makePipe
    }

    deinit {
        if let pipe = state.withLock({ $0.pipe }) {
            close(pipe.reading)
            close(pipe.writing)
        }
    }

    /// Makes a pipe; returns nil if the process has no descriptors left.
    static func makePipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }

    /// Wakes the thread, now or when it waits next.
    func ring() {
        let writing = state.withLock { state in
            if state.pipe == nil { state.hasRung = true }
            return state.pipe?.writing
        }
        var byte: UInt8 = 1
        if let writing { _ = write(writing, &byte, 1) }
    }

    /// Waits for the alarm, which it resets, or for input on any of the descriptors. Only one thread may wait.
    ///
    /// - Parameter milliseconds: The longest time to wait, or -1 for no limit.
    /// - Returns: The positions of the descriptors with input, none if the alarm has rung; nil if the time is over.
    func wait(for descriptors: [Int32], milliseconds: Int32) -> [Int]? {
        var rest = milliseconds
        while true {
            let (reading, hasRung) = prepare()
            var time = hasRung ? 0 : rest
            if reading == nil { time = time < 0 ? Self.interval : min(time, Self.interval) }
            var all = ([reading ?? -1] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&all, nfds_t(all.count), time)
            if let reading, all[0].revents != 0 {
                withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) {
                    _ = read(reading, $0.baseAddress, $0.count)
                }
            }
            if count != 0 || hasRung { return descriptors.indices.filter { all[$0 + 1].revents != 0 } }
            if rest >= 0 { rest -= time }
            if rest == 0 { return nil }
        }
    }

    /// Makes the pipe if there is none; returns its end for reading, and whether the alarm has rung without it.
    private func prepare() -> (reading: Int32?, hasRung: Bool) {
        state.withLock { state in
            if state.pipe == nil { state.pipe = makePipe() }
            defer { state.hasRung = false }
            return (state.pipe?.reading, state.hasRung)
        }
    }
}
