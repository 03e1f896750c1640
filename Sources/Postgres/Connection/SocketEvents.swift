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
        if descriptor == -1 { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Has the kernel report, once, that a socket has input or was closed; returns false if it cannot.
    func report(input socket: Int32, as number: UInt64) -> Bool {
        var event = kevent(
            ident: UInt(socket), filter: Int16(EVFILT_READ), flags: UInt16(EV_ADD | EV_ONESHOT), fflags: 0, data: 0,
            udata: UnsafeMutableRawPointer(bitPattern: UInt(number)))
        return kevent(descriptor, &event, 1, nil, 0, nil) == 0
    }

    /// Waits for reports, and calls `body` with their numbers; returns false if the time is over.
    func wait(milliseconds: Int32, _ body: (UInt64) -> Void) -> Bool {
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
        if descriptor == -1 { return nil }
    }

    /// Has the kernel report, once, that a socket has input or was closed; returns false if it cannot.
    func report(input socket: Int32, as number: UInt64) -> Bool {
        var event = epoll_event(
            events: EPOLLIN.rawValue | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: number))
        if epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event) == 0 { return true }
        // It is the first time for this socket.
        return errno == ENOENT && epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0
    }

    /// Waits for reports, and calls `body` with their numbers; returns false if the time is over.
    func wait(milliseconds: Int32, _ body: (UInt64) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Int(Self.maximumCount)) { events in
            let count = epoll_wait(descriptor, events.baseAddress, Self.maximumCount, milliseconds)
            for event in events.prefix(Int(max(0, count))) { body(event.data.u64) }
            return count != 0
        }
    }
    #endif
}
