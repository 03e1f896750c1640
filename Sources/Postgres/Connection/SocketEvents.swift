import CPostgres
import Foundation

/// The kernel's events about sockets, by epoll or kqueue. They are kept until the process ends.
///
/// A socket that is closed is forgotten by the kernel.
struct SocketEvents: Sendable {
    private let descriptor: Int32

    /// The number of events that are taken at once.
    private static var maximumCount: Int32 { 64 }

    #if canImport(Darwin)
    /// Returns nil if the process has no descriptors left.
    init?() {
        descriptor = kqueue()
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Has the kernel report each time that a socket gets input or is closed; returns false if it cannot.
    func add(_ socket: Int32, as number: UInt64) -> Bool { set(socket, EV_ADD | EV_CLEAR, number) }

    /// Has the kernel report no more.
    func remove(_ socket: Int32) { _ = set(socket, EV_DELETE, 0) }

    private func set(_ socket: Int32, _ flags: Int32, _ number: UInt64) -> Bool {
        var event = kevent(
            ident: UInt(socket), filter: Int16(EVFILT_READ), flags: UInt16(flags), fflags: 0, data: 0,
            udata: UnsafeMutableRawPointer(bitPattern: UInt(number)))
        return kevent(descriptor, &event, 1, nil, 0, nil) == 0
    }

    /// Waits for reports, and calls `body` with their numbers; returns false if the time is over.
    ///
    /// - Parameter looks: The number of times to look for reports without sleeping. In between, other threads have
    ///   precedence, such as those of a server on the same machine.
    func wait(milliseconds: Int32, looks: Int = 0, _ body: (UInt64) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(of: kevent.self, capacity: Int(Self.maximumCount)) { events in
            var time = timespec(tv_sec: Int(milliseconds) / 1_000, tv_nsec: Int(milliseconds) % 1_000 * 1_000_000)
            let count = kevent(descriptor, nil, 0, events.baseAddress, Self.maximumCount, &time)
            for event in events.prefix(Int(max(0, count))) { body(UInt64(UInt(bitPattern: event.udata))) }
            return count != 0
        }
    }
    #else
    /// Returns nil if the process has no descriptors left.
    init?() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        if descriptor < 0 { return nil }
    }

    /// Has the kernel report each time that a socket gets input or is closed; returns false if it cannot.
    func add(_ socket: Int32, as number: UInt64) -> Bool {
        var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: number))
        return epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0
    }

    /// Has the kernel report no more.
    func remove(_ socket: Int32) {
        var event = epoll_event()
        epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, &event)
    }

    /// Waits for reports, and calls `body` with their numbers; returns false if the time is over.
    ///
    /// - Parameter looks: The number of times to look for reports without sleeping. In between, other threads have
    ///   precedence, such as those of a server on the same machine.
    func wait(milliseconds: Int32, looks: Int = 0, _ body: (UInt64) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Int(Self.maximumCount)) { events in
            var count: Int32 = 0
            for _ in 0..<looks {
                count = epoll_wait(descriptor, events.baseAddress, Self.maximumCount, 0)
                if count != 0 { break }
                sched_yield()
            }
            if count == 0 { count = epoll_wait(descriptor, events.baseAddress, Self.maximumCount, milliseconds) }
            for event in events.prefix(Int(max(0, count))) { body(event.data.u64) }
            return count != 0
        }
    }
    #endif
}
