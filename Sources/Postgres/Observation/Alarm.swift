import Foundation

/// Wakes a thread that waits for input.
final class Alarm: Sendable {
    enum Event {
        case alarm
        case input
        case timeout
    }

    private let reading: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes the thread, now or when it waits next.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Waits for the alarm, or for input on a descriptor. The alarm is not reset.
    func wait(for descriptor: Int32?, milliseconds: Int32) -> Event {
        var descriptors = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, milliseconds)
        if descriptors[0].revents != 0 { return .alarm }
        return descriptors[1].revents != 0 ? .input : .timeout
    }

    /// Waits for the alarm, which it resets, or for input on any of the descriptors.
    ///
    /// - Parameter milliseconds: The longest time to wait, or -1 for no limit.
    /// - Returns: The positions of the descriptors with input; nil if the time is over.
    func wait(for descriptors: [Int32], milliseconds: Int32) -> [Int]? {
        var all = ([reading] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&all, nfds_t(all.count), milliseconds) == 0 { return nil }
        if all[0].revents != 0 {
            withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { _ = read(reading, $0.baseAddress, $0.count) }
        }
        return descriptors.indices.filter { all[$0 + 1].revents != 0 }
    }
}
