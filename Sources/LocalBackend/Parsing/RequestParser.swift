import Foundation

/// Turns bytes, which may arrive in portions of any size, into requests: a pure state machine.
///
///     parser.append(bytes)
///     while case .request(let request) = parser.next() { … }
///
/// The outcome does not depend on how the bytes were portioned. It is strict, because lenient parsers have made request
/// smuggling possible: if the end of a message can be read in two ways, the request is rejected.
struct RequestParser {
    enum Output: Equatable {
        case needsMore
        /// The head is complete and its sender waits for a `100 Continue` before it sends the body.
        case expectsContinue
        case request(LocalBackend.Request)
        case rejected(Rejection)
    }

    struct Limits {
        var requestLine = 8_192
        var headers = 65_536
        var body = 16_777_216
    }

    private enum Stage: Equatable {
        case requestLine, headers
        case body(remaining: Int)
        case chunkSize, trailers
        case chunk(remaining: Int)
        case chunkEnd
        case complete
        case rejected(Rejection)
    }

    private let limits: Limits
    private var stage = Stage.requestLine
    private var request = RequestParser.blank
    private var skippedBlankLine = false
    private var headerBytes = 0

    private var buffer: [UInt8] = []
    private var position = 0
    /// The buffer holds no line end before this index, so that a line that arrives slowly is not searched again and
    /// again.
    private var scanned = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of bytes that wait to be parsed.
    var buffered: Int { buffer.count - position }

    /// True if a request has begun and is not complete yet.
    var isMidRequest: Bool { stage != .requestLine || buffered > 0 }

    mutating func append(_ bytes: some Collection<UInt8>) {
        if case .rejected = stage { return }
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            scanned = 0
            position = 0
        } else if position > 65_536 {
            buffer.removeSubrange(..<position)
            scanned -= position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next output for the bytes so far. A rejection is final: it is repeated from then on.
    mutating func next() -> Output {
        do {
            return try advance()
        } catch {
            stage = .rejected(error)
            return .rejected(error)
        }
    }

    private static let blank = LocalBackend.Request(method: .get, target: "/", minorVersion: 1)
}

// MARK: - Stages

extension RequestParser {
    private mutating func advance() throws(Rejection) -> Output {
        while true {
            switch stage {
            case .requestLine:
                guard try parseRequestLine() else { return .needsMore }

            case .headers:
                guard let line = try takeHeaderLine() else { return .needsMore }
                guard line.isEmpty else {
                    request.headers.add(try HeaderLine.parse(buffer[line]))
                    continue
                }
                stage = try stage(after: MessageFraming(of: request))
                if stage != .complete, buffered == 0, request.expectsContinue { return .expectsContinue }

            case .body(let remaining):
                guard let left = takeBody(remaining) else { return .needsMore }
                stage = left == 0 ? .complete : .body(remaining: left)

            case .chunkSize:
                guard let line = try takeLine(limit: 1_024, tooLong: .malformedChunk) else { return .needsMore }
                let size = try ChunkLine.size(buffer[line])
                guard size <= limits.body - request.body.count else { throw .bodyTooLarge }
                stage = size == 0 ? .trailers : .chunk(remaining: size)

            case .chunk(let remaining):
                guard let left = takeBody(remaining) else { return .needsMore }
                stage = left == 0 ? .chunkEnd : .chunk(remaining: left)

            case .chunkEnd:
                guard let line = try takeLine(limit: 0, tooLong: .malformedChunk) else { return .needsMore }
                guard line.isEmpty else { throw .malformedChunk }
                stage = .chunkSize

            case .trailers:
                guard let line = try takeHeaderLine() else { return .needsMore }
                // Trailers are checked and dropped: merged into the headers they could change decisions that the
                // headers have made.
                if line.isEmpty { stage = .complete } else { _ = try HeaderLine.parse(buffer[line]) }

            case .complete:
                defer {
                    request = RequestParser.blank
                    stage = .requestLine
                    skippedBlankLine = false
                    headerBytes = 0
                }
                return .request(request)

            case .rejected(let rejection):
                return .rejected(rejection)
            }
        }
    }

    private mutating func parseRequestLine() throws(Rejection) -> Bool {
        // Bytes that cannot become a method are refused at once: a TLS handshake, for example, may have no line end.
        if buffered > 0, !isTokenByte(buffer[position]), !isLineEnd(buffer[position]) { throw .malformedRequestLine }
        guard let line = try takeLine(limit: limits.requestLine, tooLong: .targetTooLong) else { return false }
        if line.isEmpty {
            // One empty line is overlooked, since some clients end a body with one.
            guard !skippedBlankLine else { throw .malformedRequestLine }
            skippedBlankLine = true
        } else {
            request = try RequestLine.parse(buffer[line])
            stage = .headers
        }
        return true
    }

    private func stage(after framing: MessageFraming) throws(Rejection) -> Stage {
        switch framing {
        case .none: return .complete
        case .chunked: return .chunkSize
        case .length(let length):
            guard length <= limits.body else { throw .bodyTooLarge }
            return .body(remaining: length)
        }
    }
}

// MARK: - Taking bytes

extension RequestParser {
    /// Takes a line without its CR LF, if a whole one is there.
    private mutating func takeLine(limit: Int, tooLong: Rejection) throws(Rejection) -> Range<Int>? {
        let start = max(scanned, position)
        guard let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            scanned = buffer.count
            guard buffered - 1 <= limit else { throw tooLong }
            return nil
        }
        let endsProperly = end > position && buffer[end - 1] == UInt8(ascii: "\r")
        let line = position..<(endsProperly ? end - 1 : end)
        guard line.count <= limit else { throw tooLong }
        guard endsProperly else { throw .malformedLineEnd }
        position = end + 1
        return line
    }

    /// The bytes that each field counts beyond its text, so that many tiny fields meet the limit too.
    private var fieldCost: Int { 32 }

    private mutating func takeHeaderLine() throws(Rejection) -> Range<Int>? {
        let line = try takeLine(limit: limits.headers - headerBytes, tooLong: .headersTooLarge)
        if let line, !line.isEmpty {
            headerBytes += line.count + fieldCost
            guard headerBytes <= limits.headers else { throw .headersTooLarge }
        }
        return line
    }

    /// Moves up to `count` bytes into the body and returns the number of missing bytes; `nil` if no byte was there.
    private mutating func takeBody(_ count: Int) -> Int? {
        let taken = min(count, buffered)
        guard taken > 0 else { return count == 0 ? 0 : nil }
        request.body.append(contentsOf: buffer[position..<position + taken])
        position += taken
        return count - taken
    }
}
