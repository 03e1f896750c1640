import Foundation

/// A response that is ready for the wire, with its head and the framing of its body.
struct Answer: Sendable {
    enum Framing: Equatable {
        /// No body may follow: the answer to HEAD, or a status that has none.
        case none
        case length(Int)
        case chunked
        /// The body ends with the connection, for HTTP/1.0 clients.
        case untilClose
    }

    let response: LocalBackend.Response
    let framing: Framing
    let fault: Fault?
    private let lengthField: Int?

    init(_ response: LocalBackend.Response, to request: LocalBackend.Request?, fault: Fault? = nil) {
        let response = response.isFit ? response : .unfit
        self.response = response
        self.fault = fault
        let length: Int? =
            switch response.body {
            case .data(let data): data.count
            case .stream(let length, _): length.map { max(0, $0) }
            }
        // The length that is sent is larger than that of a body which would end before its fault.
        let promised = length.map { max($0, (fault?.allowance ?? -1) + 1) }
        lengthField = promised
        if request?.method == .head || response.isBodiless {
            framing = .none
        } else if let promised {
            framing = .length(promised)
        } else {
            framing = request?.minorVersion == 0 ? .untilClose : .chunked
        }
    }

    /// The producer of the body, if it is streamed and wanted.
    var producer: (@Sendable (LocalBackend.BodyWriter) async throws -> Void)? {
        guard framing != .none, fault != .drop, case .stream(_, let produce) = response.body else { return nil }
        return produce
    }

    /// True if the connection can be used again after this answer, as far as the answer goes.
    var persists: Bool {
        framing != .untilClose && !response.headers.list("Connection").contains { isSameName($0, "close") }
    }

    /// The status line and headers.
    func head(persists: Bool, date: String, minorVersion: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append("HTTP/1.1 ", "\(response.status)", " ", reasonPhrase(of: response.status), "\r\n")
        var (hasDate, hasServer) = (false, false)
        for field in response.headers.fields where !Answer.own.contains(where: { isSameName($0, field.name) }) {
            bytes.append(field.name, ": ", field.value, "\r\n")
            hasDate = hasDate || isSameName(field.name, "Date")
            hasServer = hasServer || isSameName(field.name, "Server")
        }
        if !hasDate { bytes.append("Date: ", date, "\r\n") }
        if !hasServer { bytes.append("Server: LocalBackend\r\n") }
        if let lengthField, !response.isBodiless {
            bytes.append("Content-Length: ", "\(lengthField)", "\r\n")
        } else if lengthField == nil, !response.isBodiless, minorVersion > 0 {
            bytes.append("Transfer-Encoding: chunked\r\n")
        }
        if !persists {
            bytes.append("Connection: close\r\n")
        } else if minorVersion == 0 {
            bytes.append("Connection: keep-alive\r\n")
        }
        bytes.append("\r\n")
        return bytes
    }

    /// The fields that only the server can set.
    private static let own = ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"]
}

extension LocalBackend.Response {
    fileprivate var isBodiless: Bool { status == 204 || status == 304 }

    /// True if it can be sent as it is: it has a final status, and headers without bytes that HTTP does not allow.
    fileprivate var isFit: Bool {
        (200...999).contains(status)
            && headers.fields.allSatisfy { isToken($0.name.utf8) && $0.value.utf8.allSatisfy(isFieldValueByte) }
    }

    fileprivate static var unfit: Self {
        .json(["reason": "The handler answered with a status or a header that HTTP does not allow."], status: 500)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ texts: String...) {
        for text in texts { append(contentsOf: text.utf8) }
    }
}
