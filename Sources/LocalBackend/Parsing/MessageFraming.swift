/// The way in which the end of a request's body is found. If two readings are possible, the request is rejected.
enum MessageFraming: Equatable {
    case none
    case length(Int)
    case chunked

    init(of request: LocalBackend.Request) throws(Rejection) {
        let headers = request.headers
        try MessageFraming.checkHost(of: request)
        let lengths = headers.values(of: "Content-Length")
        let codings = headers.list("Transfer-Encoding")
        let expectations = headers.list("Expect")
        guard expectations.allSatisfy({ isSameName($0, "100-continue") }) else { throw .unsupportedExpectation }
        switch (lengths.first, codings.last) {
        case (nil, nil): self = .none
        case (_?, _?): throw .conflictingFraming
        case (let length?, nil):
            guard lengths.allSatisfy({ $0 == length }) else { throw .malformedContentLength }
            self = .length(try MessageFraming.parseLength(length))
        case (nil, let last?):
            guard request.minorVersion > 0, !codings.dropLast().contains(where: { isSameName($0, "chunked") }) else {
                throw .malformedTransferEncoding
            }
            guard !codings.contains("") else { throw .malformedTransferEncoding }
            guard codings.count == 1, isSameName(last, "chunked") else { throw .unsupportedTransferEncoding }
            self = .chunked
        }
    }

    private static func parseLength(_ text: String) throws(Rejection) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ decimalValue($0) != nil }) else { throw .malformedContentLength }
        // A number that does not fit into an Int is larger than any limit.
        return Int(text) ?? .max
    }

    private static func checkHost(of request: LocalBackend.Request) throws(Rejection) {
        let hosts = request.headers.values(of: "Host")
        guard hosts.count == 1 || (hosts.isEmpty && request.minorVersion == 0) else { throw .malformedHost }
        guard hosts.allSatisfy({ $0.utf8.allSatisfy(isHostByte) }) else { throw .malformedHost }
        guard let authority = request.authority else { return }
        guard !authority.isEmpty, authority.utf8.allSatisfy(isHostByte) else { throw .malformedTarget }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        (isTokenByte(byte) && byte != UInt8(ascii: "#")) || ":[]();=".utf8.contains(byte)
    }
}

/// The line before a chunk: `1a; extension`.
enum ChunkLine {
    static func size(_ line: ArraySlice<UInt8>) throws(Rejection) -> Int {
        let digits = line.prefix { hexValue($0) != nil }
        let rest = line[digits.endIndex...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let isExtended = rest.first == UInt8(ascii: ";") && rest.allSatisfy(isFieldValueByte)
        guard !digits.isEmpty, digits.endIndex == line.endIndex || isExtended else { throw .malformedChunk }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard significant.count < 16 else { throw .bodyTooLarge }
        return significant.reduce(0) { $0 << 4 | Int(hexValue($1) ?? 0) }
    }
}

extension LocalBackend.Request {
    /// True if the client waits for `100 Continue`, which HTTP/1.0 does not have.
    var expectsContinue: Bool { minorVersion > 0 && headers["Expect"] != nil }
}
