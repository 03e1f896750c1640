import Foundation

extension ByteStream {
    /// The lines of the body, as text. They end with CR LF, LF or CR; the last one may end with the body.
    public var lines: StreamedLines { StreamedLines(bytes: self, limit: 1 << 20) }

    /// Returns the lines of the body, as text. A line of more bytes than the limit fails with
    /// ``NetworkFailure/Reason/bodyTooLarge(limit:)``.
    public func lines(limit: Int) -> StreamedLines { StreamedLines(bytes: self, limit: limit) }
}

/// The lines of an answer, while it arrives. Bytes that are not UTF-8 become replacement characters.
public struct StreamedLines: AsyncSequence, Sendable {
    public typealias Element = String
    public typealias Failure = CoreError

    let bytes: ByteStream
    let limit: Int
    /// False to leave out a last line that does not end with a line break.
    var includesRest = true

    public func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), splitter: LineSplitter(limit: limit), includesRest: includesRest)
    }

    /// An iterator over the lines, for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let bytes: ByteStream.Iterator
        var splitter: LineSplitter
        let includesRest: Bool
        private var isOver = false

        init(bytes: ByteStream.Iterator, splitter: LineSplitter, includesRest: Bool) {
            (self.bytes, self.splitter, self.includesRest) = (bytes, splitter, includesRest)
        }

        public mutating func next() async throws(CoreError) -> String? { try await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CoreError) -> String? {
            do throws(CoreError) {
                while !isOver {
                    if let line = try splitter.next() { return line }
                    if let more = try await bytes.transfer.next() {
                        splitter.append(more)
                    } else {
                        isOver = true
                        return includesRest ? splitter.takeRest() : nil
                    }
                }
                return nil
            } catch {
                isOver = true
                bytes.transfer.cancel()
                throw error
            }
        }
    }
}

/// Splits bytes into lines, wherever the pieces of them begin and end. A pure state machine.
///
/// A line that ends with CR is passed on at once; an LF that follows in another piece is dropped.
struct LineSplitter {
    private let limit: Int
    private var bytes: [UInt8] = []
    /// The bytes before it belong to lines that were passed on.
    private var start = 0
    /// The bytes before it hold no line break.
    private var scanned = 0
    private var endedWithCR = false

    init(limit: Int) { self.limit = max(0, limit) }

    mutating func append(_ data: Data) {
        bytes.removeFirst(start)
        (scanned, start) = (scanned - start, 0)
        bytes.append(contentsOf: data)
    }

    /// Returns the next whole line.
    mutating func next() throws(CoreError) -> String? {
        if endedWithCR, start < bytes.count {
            endedWithCR = false
            if bytes[start] == UInt8(ascii: "\n") { start += 1 }
            scanned = start
        }
        let end = bytes[scanned...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard (end ?? bytes.count) - start <= limit else {
            throw .network(NetworkFailure(.bodyTooLarge(limit: limit), detail: "A line is longer."))
        }
        guard let end else {
            scanned = bytes.count
            return nil
        }
        defer {
            endedWithCR = bytes[end] == UInt8(ascii: "\r")
            (start, scanned) = (end + 1, end + 1)
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Returns what follows the last line break, if there is anything.
    func takeRest() -> String? {
        guard start < bytes.count else { return nil }
        return String(decoding: bytes[start...], as: UTF8.self)
    }
}
