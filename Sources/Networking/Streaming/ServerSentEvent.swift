import Foundation

/// An event of a `text/event-stream`.
public struct ServerSentEvent: Equatable, Sendable {
    /// The name of the event; `message` if the server gives none.
    public var event: String
    /// The lines of data, with a line break between two of them.
    public var data: String
    /// The last id that the server has given, with this event or before it; empty for none.
    public var id: String

    /// Makes an event, for tests.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }

    /// Decodes the data, which is JSON.
    ///
    /// ```swift
    /// let price: Price = try ServerSentEvent(data: #"{"cents": 199}"#).decoded().get()
    /// ```
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) -> Result<Value, CoreError> {
        let data = Data(data.utf8)
        return decoder.map { Parser.parse(data, decoder: $0) } ?? Parser.parse(data)
    }
}

/// Makes events of the lines of an event stream, as the HTML standard says (9.2.6). A pure state machine.
struct EventParser {
    /// The last id of the server, which is sent back when the client reconnects.
    private(set) var lastID: String
    /// The time to wait before the client reconnects, if the server has said one.
    private(set) var retry: Duration?
    private var isFirst = true
    private var (event, data, id) = ("", "", "")

    /// The greatest number of bytes of one event's data.
    static let limit = 1 << 24

    init(lastID: String = "", retry: Duration? = nil) {
        (self.lastID, id) = (lastID, lastID)
        self.retry = retry
    }

    /// Takes a line, and returns the event that ends with it.
    mutating func receive(_ line: String) throws(CoreError) -> ServerSentEvent? {
        var line = Substring(line)
        // A byte order mark. As a `Character` it may be one with what follows.
        if isFirst, line.unicodeScalars.first == "\u{FEFF}" { line.unicodeScalars.removeFirst() }
        isFirst = false
        if line.isEmpty { return takeEvent() }
        let scalars = line.unicodeScalars
        let colon = scalars.firstIndex(of: ":") ?? scalars.endIndex
        var value = scalars[colon...].dropFirst()
        if value.first == " " { value.removeFirst() }
        try set(String(scalars[..<colon]), String(value))
        return nil
    }

    private mutating func set(_ field: String, _ value: String) throws(CoreError) {
        switch field {
        case "event": event = value
        case "data":
            guard data.utf8.count + value.utf8.count < Self.limit else {
                throw .network(
                    NetworkFailure(.bodyTooLarge(limit: Self.limit), detail: "The data of an event is longer."))
            }
            data += value
            data += "\n"
        case "id": if !value.unicodeScalars.contains("\0") { id = value }
        case "retry":
            if !value.isEmpty, value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
                retry = .milliseconds(min(Int(value) ?? .max, 1 << 40))
            }
        default: break
        }
    }

    private mutating func takeEvent() -> ServerSentEvent? {
        defer { (event, data) = ("", "") }
        lastID = id
        guard !data.isEmpty else { return nil }
        data.unicodeScalars.removeLast()
        return ServerSentEvent(event: event.isEmpty ? "message" : event, data: data, id: lastID)
    }
}
