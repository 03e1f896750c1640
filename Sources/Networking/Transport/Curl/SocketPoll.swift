#if canImport(CCurl)
import CCurl
import Foundation

/// Waits for sockets. Other threads can add sockets, and wake the waiting one.
struct SocketPoll: Sendable {
    /// A socket, and what is waited for: that it can be read, or written.
    struct Interest: Equatable {
        let socket: Int32
        let isRead: Bool
        let isWritten: Bool
    }

    /// A socket that is ready.
    struct Event {
        let socket: Int32
        let isReadable: Bool
        let isWritable: Bool
        /// True if the other side has closed the connection, of a socket that is watched for that alone.
        let isClosed: Bool
    }

    private let poll: Int32
    /// Readable after ``wake()``.
    private let alarm: Int32

    /// The number of events that are taken at once.
    private static var maximumCount: Int32 { 64 }

    /// Returns `nil` if the process has no descriptors left.
    init?() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard poll >= 0, alarm >= 0, set(EPOLL_CTL_ADD, alarm, EPOLLIN.rawValue) else {
            close()
            return nil
        }
    }

    func close() {
        for descriptor in [poll, alarm] where descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Waits from now on until the socket is ready to be read or to be written; for neither, forgets it.
    func watch(_ interest: Interest) {
        watch(
            interest.socket, (interest.isRead ? EPOLLIN.rawValue : 0) | (interest.isWritten ? EPOLLOUT.rawValue : 0))
    }

    /// Waits from now on until the other side closes the connection, whatever there is to read.
    func watchForClosing(_ socket: Int32) { watch(socket, EPOLLRDHUP.rawValue) }

    private func watch(_ socket: Int32, _ events: UInt32) {
        if events == 0 {
            _ = set(EPOLL_CTL_DEL, socket, 0)
        } else if !set(EPOLL_CTL_ADD, socket, events), errno == EEXIST {
            _ = set(EPOLL_CTL_MOD, socket, events)
        }
    }

    /// Returns true if the other side has sent something, or closed the connection.
    static func canBeRead(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
    }

    /// Returns true if all that the other side has sent was read, and it has closed the connection.
    static func isAtEnd(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Looks at one socket until it is ready, or the time is over. Other threads have precedence.
    static func look(for interest: Interest, until end: ContinuousClock.Instant) -> Event? {
        let events = (interest.isRead ? POLLIN : 0) | (interest.isWritten ? POLLOUT : 0)
        var descriptor = pollfd(fd: interest.socket, events: Int16(events), revents: 0)
        repeat {
            sched_yield()
            guard Glibc.poll(&descriptor, 1, 0) == 0 else {
                // libcurl finds the failure of a socket when it reads and writes.
                return Event(
                    socket: interest.socket, isReadable: interest.isRead, isWritable: interest.isWritten,
                    isClosed: false)
            }
        } while .now < end
        return nil
    }

    private func set(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        return epoll_ctl(poll, operation, descriptor, &event) == 0
    }

    /// Ends the wait of the other thread, or its next one.
    func wake() {
        eventfd_write(alarm, 1)
    }

    /// Returns the sockets that are ready; none if the time is over, or another thread has called ``wake()``.
    func wait(milliseconds: Int32) -> [Event] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Int(SocketPoll.maximumCount)) { buffer in
            let count = epoll_wait(poll, buffer.baseAddress, SocketPoll.maximumCount, milliseconds)
            return buffer.prefix(Int(max(0, count))).compactMap { event in
                let socket = event.data.fd
                guard socket != alarm else {
                    var number: eventfd_t = 0
                    eventfd_read(alarm, &number)
                    return nil
                }
                // libcurl finds the failure of a socket when it reads and writes.
                let isFailed = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
                return Event(
                    socket: socket, isReadable: isFailed || event.events & EPOLLIN.rawValue != 0,
                    isWritable: isFailed || event.events & EPOLLOUT.rawValue != 0,
                    isClosed: event.events & EPOLLRDHUP.rawValue != 0)
            }
        }
    }
}
#endif
