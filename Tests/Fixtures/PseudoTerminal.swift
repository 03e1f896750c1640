import Feedback
import Foundation
import Presentation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Both ends of a pseudo-terminal.
public final class PseudoTerminal: Sendable {
    private let control: Int32
    private let device: Int32
    private let written = MutableProperty("")

    /// The file that another process opens to use the terminal.
    public let path: String

    public var terminal: Terminal { Terminal(input: device, output: device) }

    public init(columns: UInt16, rows: UInt16) throws {
        (control, device, path) = try Self.open()
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try check(ioctl(device, UInt(TIOCSWINSZ), &size))
        let thread = Thread { [control, written] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            var bytes: [UInt8] = []
            while true {
                let count = read(control, &buffer, buffer.count)
                // At the end, which comes when the last user of the device has closed it.
                guard count > 0 else {
                    close(control)
                    return
                }
                bytes += buffer[..<count]
                written.value = String(decoding: bytes, as: UTF8.self)
            }
        }
        thread.start()
    }

    #if canImport(Glibc)
    private static func open() throws -> (control: Int32, device: Int32, path: String) {
        let control = try check(Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY))
        // TIOCSPTLCK and TIOCGPTN, which come as macros that Swift does not read: unlock it, and ask for its number.
        var (lock, number): (Int32, UInt32) = (0, 0)
        try check(ioctl(control, 0x4004_5431, &lock))
        try check(ioctl(control, 0x8004_5430, &number))
        let path = "/dev/pts/\(number)"
        return (control, try check(Glibc.open(path, O_RDWR | O_NOCTTY)), path)
    }
    #else
    private static func open() throws -> (control: Int32, device: Int32, path: String) {
        let control = try check(posix_openpt(O_RDWR | O_NOCTTY))
        try check(grantpt(control))
        try check(unlockpt(control))
        guard let name = ptsname(control) else { throw POSIXError(.ENXIO) }
        return (control, try check(Darwin.open(name, O_RDWR | O_NOCTTY)), String(cString: name))
    }
    #endif

    deinit { close(device) }

    /// All that has been written so far.
    public var output: String { written.value }

    /// The terminal's modes, as numbers to compare.
    public var settings: [UInt32] {
        var settings = termios()
        tcgetattr(device, &settings)
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag].map { UInt32($0) }
    }

    public func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(control, bytes, bytes.count)
    }

    /// Waits until the text has been written, for a minute, and longer if the machine is too busy to look.
    ///
    /// - Returns: True if it was written.
    public func hasShown(_ text: String) async -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        var looks = 0
        while !output.contains(text) {
            looks += 1
            guard ContinuousClock.now < end || looks < 200 else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }
}

@discardableResult
private func check(_ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return result
}
