import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The terminal of the program, or the files or pipes in its place.
public struct Terminal: Sendable {
    /// The size of a terminal, in characters.
    public struct Size: Equatable, Sendable {
        /// The number of columns.
        public var columns: Int
        /// The number of rows.
        public var rows: Int

        /// Makes a size.
        public init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// Standard input and output.
    public static let standard = Terminal(input: STDIN_FILENO, output: STDOUT_FILENO)

    /// The file descriptor of the input.
    public let input: Int32
    /// The file descriptor of the output.
    public let output: Int32

    /// Makes a terminal of two descriptors, such as those of a pseudo-terminal.
    public init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// True if the input is a terminal, so that keys come one by one.
    public var isInputTerminal: Bool { isatty(input) == 1 }
    /// True if the output is a terminal, so that it can be drawn on.
    public var isOutputTerminal: Bool { isatty(output) == 1 }

    /// The size of the output; 80 by 24 if it has none.
    public var size: Size {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Returns the palette with colours, or the plain one if the output is not a terminal, or is a dumb one, or
    /// `NO_COLOR` is set (https://no-color.org).
    public func palette(environment: [String: String] = ProcessInfo.processInfo.environment) -> Palette {
        let refuses = environment["NO_COLOR"]?.isEmpty == false
        return isOutputTerminal && !refuses && environment["TERM"] != "dumb" ? .colored : .plain
    }

    /// Writes all of the text, in one call if the system allows it.
    public func write(_ text: String) throws(WriteFailure) {
        var failure: WriteFailure?
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(output, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, 1_000)
                } else if errno != EINTR {
                    failure = WriteFailure(code: errno)
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    /// The error of text that could not be written, for example because the disk is full.
    public struct WriteFailure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The system's error number.
        public let code: Int32

        public var description: String { String(cString: strerror(code)) + "." }
    }
}

#if canImport(Glibc)
private let systemWrite = Glibc.write
#elseif canImport(Musl)
private let systemWrite = Musl.write
#elseif canImport(Darwin)
private let systemWrite = Darwin.write
#endif
