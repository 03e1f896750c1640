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
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes the thread, now or when it waits next. It stays awake.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Waits for the alarm, or for input on a descriptor.
    func wait(for descriptor: Int32?, milliseconds: Int32) -> Event {
        var descriptors = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, milliseconds)
        if descriptors[0].revents != 0 { return .alarm }
        return descriptors[1].revents != 0 ? .input : .timeout
    }
}
