import Foundation
import Testing

@testable import LocalBackend

@Suite("Mail for the event loop")
struct MailboxTests {
    private func isReadable(_ mailbox: Mailbox) -> Bool {
        var polled = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 1
    }

    /// Posts mail about a connection with this number.
    private func post(_ number: Int, to mailbox: Mailbox) -> Bool {
        mailbox.post(.endOfBody(.init(connection: number, request: 1), isWhole: true))
    }

    private func numbers(_ mail: [Mailbox.Mail]) -> [Int] {
        mail.compactMap { if case .endOfBody(let exchange, _) = $0 { exchange.connection } else { nil } }
    }

    @Test("Mail is taken in the order in which it was posted, and the loop is woken for it once")
    func order() throws {
        let mailbox = try Mailbox()
        #expect(!isReadable(mailbox))
        for round in 1...3 {
            for number in 1...3 { #expect(post(round * number, to: mailbox)) }
            #expect(isReadable(mailbox))
            #expect(numbers(mailbox.take()) == [round, round * 2, round * 3])
            #expect(!isReadable(mailbox))
        }
    }

    @Test("The loop can be woken without mail")
    func waking() throws {
        let mailbox = try Mailbox()
        for _ in 1...2 {
            mailbox.wake()
            mailbox.wake()
            #expect(isReadable(mailbox))
            #expect(mailbox.take().isEmpty)
            #expect(!isReadable(mailbox))
        }
    }

    @Test("The pipe is not inherited by other programs, and reading it does not wait")
    func pipe() throws {
        let mailbox = try Mailbox()
        #expect(fcntl(mailbox.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(mailbox.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(mailbox.take().isEmpty)
    }

    @Test("After the end of the loop, mail is refused, and what waits is returned")
    func closed() throws {
        let mailbox = try Mailbox()
        #expect(post(1, to: mailbox))
        #expect(numbers(mailbox.close()) == [1])
        #expect(!post(2, to: mailbox))
        #expect(mailbox.close().isEmpty)
    }
}
