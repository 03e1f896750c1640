import Foundation

/// One client's connection: the bytes that it has sent, those that it is to get, and its deadlines. A pure state
/// machine, without sockets and clocks.
///
/// Requests are answered one at a time, in order. Bytes of further ones wait meanwhile, up to a limit.
struct Connection {
    enum Phase: Equatable {
        case receiving
        /// A handler is at work.
        case handling
        /// The head is out, and the body is being produced.
        case streaming
        /// All bytes that a `stall` allows have been sent.
        case stalling
        /// The connection ends after the outbound bytes.
        case flushing(then: Ending)
        /// Our side is closed. Bytes that the client still sends are read and dropped: closing the socket while bytes
        /// are unread would reset the connection, and the client could lose the answer.
        case draining
        case over(reset: Bool)
    }

    enum Ending: Equatable { case drain, close, reset, stall }

    private(set) var phase = Phase.receiving
    private var parser: RequestParser
    private var outbound = Outbound()
    private var exchange = Exchange()
    private let timeouts: Timeouts
    private var deadline: ContinuousClock.Instant?
    private var deadlineIsOfRequest = false
    private var writeDeadline: ContinuousClock.Instant?
    private var clientIsDone = false
    private var isStopping = false

    /// The facts about the request that is being answered.
    private struct Exchange {
        var minorVersion = 1
        var keepsAlive = true
        var framing = Answer.Framing.none
        /// The bytes of a promised length that are still to come.
        var remaining = 0
        /// The number of bytes of the body that may go out before the fault.
        var allowance: Int?
        var fault: Fault?
        /// True if the stream ends when the client closes its side.
        var endsWithClient = false
    }

    init(limits: RequestParser.Limits, timeouts: Timeouts) {
        parser = RequestParser(limits: limits)
        self.timeouts = timeouts
    }

    // MARK: - State for the event loop

    var wantsToWrite: Bool { !outbound.isEmpty }

    var wantsToRead: Bool {
        switch phase {
        case .receiving: !clientIsDone && (parser.buffered < Connection.readAhead || !isCongested)
        case .handling, .streaming: !clientIsDone && parser.buffered < Connection.readAhead
        case .stalling, .draining: true
        case .flushing, .over: false
        }
    }

    /// True if no more is read ahead, so that an end of the client behind it is not seen.
    private var hidesEndOfClient: Bool { parser.buffered >= Connection.readAhead }

    /// True if so much is outbound that producing more has to wait.
    var isCongested: Bool { outbound.count >= Connection.highWater }

    /// True if closing the connection would make the client take a part of a body for all of it.
    var wouldEndBodyEarly: Bool { exchange.framing == .untilClose && (phase == .streaming || !outbound.isEmpty) }

    /// The time at which ``expire(now:)`` is due.
    var nextDeadline: ContinuousClock.Instant? {
        guard let deadline, let writeDeadline else { return self.deadline ?? self.writeDeadline }
        return min(deadline, writeDeadline)
    }

    private static let highWater = 262_144
    private static let readAhead = 65_536

    // MARK: - Events of the client

    mutating func receive(_ bytes: some Collection<UInt8>) {
        switch phase {
        case .receiving, .handling, .streaming:
            parser.append(bytes)
            if phase == .streaming, exchange.endsWithClient, hidesEndOfClient { abort() }
        case .stalling, .flushing, .draining, .over: break
        }
    }

    /// Called when the client has closed its side. It may still wait for answers.
    mutating func receiveEnd() {
        clientIsDone = true
        switch phase {
        case .stalling, .draining: phase = .over(reset: false)
        case .streaming where exchange.endsWithClient: phase = .over(reset: false)
        default: break
        }
    }

    /// Called when the connection is broken.
    mutating func abort() { phase = .over(reset: false) }

    /// Returns the next request to handle, if it is complete and no other one is being answered.
    mutating func nextRequest(now: Moment) -> LocalBackend.Request? {
        guard phase == .receiving, !isCongested else { return nil }
        while true {
            switch parser.next() {
            case .request(let request):
                phase = .handling
                deadline = nil
                exchange = Exchange(minorVersion: request.minorVersion, keepsAlive: request.keepsAlive)
                return request
            case .expectsContinue:
                send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), now: now)
            case .rejected(let rejection):
                refuse(rejection, now: now)
                return nil
            case .needsMore:
                awaitMore(now: now)
                return nil
            }
        }
    }

    private mutating func awaitMore(now: Moment) {
        let isMidRequest = parser.isMidRequest
        if clientIsDone || (isStopping && !isMidRequest) {
            end(.close, now: now)
        } else if deadline == nil || isMidRequest != deadlineIsOfRequest {
            deadline = now.instant + (isMidRequest ? timeouts.request : timeouts.idle)
            deadlineIsOfRequest = isMidRequest
        }
    }

    // MARK: - Events of the handler

    mutating func answer(_ answer: Answer, now: Moment) {
        guard phase == .handling else { return }
        guard answer.fault != .drop else { return end(.close, now: now) }
        exchange.keepsAlive = exchange.keepsAlive && answer.persists && !isStopping
        exchange.framing = answer.framing
        exchange.endsWithClient = answer.response.endsWithClient
        exchange.fault = answer.fault
        exchange.allowance = answer.fault?.allowance
        if case .length(let length) = answer.framing { exchange.remaining = length }
        var head = answer.head(persists: exchange.keepsAlive, date: now.date, minorVersion: exchange.minorVersion)
        guard answer.producer == nil else {
            phase = .streaming
            send(Data(head), now: now)
            spendAllowance(0, now: now)
            // The client may have closed its side, or the server may have been stopped, while the handler was at work.
            endStreamOfClient(now: now)
            return
        }
        guard case .data(var body) = answer.response.body, answer.framing != .none else {
            send(Data(head), now: now)
            return completeAnswer(now: now)
        }
        if let allowance = exchange.allowance { body = body.prefix(allowance) }
        // A small body goes out in one piece with its head, a large one uncopied.
        if body.count <= 16_384 {
            head.append(contentsOf: body)
            send(Data(head), now: now)
        } else {
            send(Data(head), now: now)
            send(body, now: now)
        }
        completeAnswer(now: now)
    }

    /// Takes bytes of a streamed body.
    mutating func stream(_ data: Data, now: Moment) {
        guard phase == .streaming else { return }
        let allowed = exchange.allowance.map { data.prefix($0) } ?? data
        switch exchange.framing {
        case .none: break
        case .untilClose: send(allowed, now: now)
        case .length:
            let fitting = allowed.prefix(exchange.remaining)
            exchange.remaining -= fitting.count
            send(fitting, now: now)
        case .chunked:
            send(Data("\(String(data.count, radix: 16))\r\n".utf8), now: now)
            send(allowed, now: now)
            if allowed.count == data.count { send(Data("\r\n".utf8), now: now) }
        }
        spendAllowance(data.count, now: now)
    }

    /// Called at the end of a streamed body: it is whole, or its producer failed.
    mutating func endStream(isWhole: Bool, now: Moment) {
        guard phase == .streaming else { return }
        guard exchange.fault == nil else { return completeAnswer(now: now) }
        guard isWhole, exchange.remaining == 0 else { return endEarly(now: now) }
        if exchange.framing == .chunked { send(Data("0\r\n\r\n".utf8), now: now) }
        completeAnswer(now: now)
    }

    /// Ends a stream that lasts only as long as its client and the server.
    private mutating func endStreamOfClient(now: Moment) {
        guard phase == .streaming, exchange.endsWithClient else { return }
        if clientIsDone || hidesEndOfClient {
            abort()
        } else if isStopping {
            exchange.keepsAlive = false
            endStream(isWhole: true, now: now)
        }
    }

    private mutating func spendAllowance(_ count: Int, now: Moment) {
        guard let allowance = exchange.allowance else { return }
        exchange.allowance = max(0, allowance - count)
        if exchange.allowance == 0 { completeAnswer(now: now) }
    }

    private mutating func completeAnswer(now: Moment) {
        switch exchange.fault {
        case .reset: end(.reset, now: now)
        case .stall: end(.stall, now: now)
        case .truncate: endEarly(now: now)
        case .drop, nil:
            if exchange.keepsAlive { phase = .receiving } else { end(.drain, now: now) }
        }
    }

    // MARK: - Events of the socket and the clock

    /// Passes outbound bytes to `send`, which returns the number of bytes that it took, or `nil` if the connection is
    /// broken.
    mutating func write(now: Moment, _ send: (UnsafeRawBufferPointer) -> Int?) {
        while !outbound.isEmpty {
            guard let sent = outbound.drain(send) else { return abort() }
            guard sent > 0 else { return }
            writeDeadline = outbound.isEmpty ? nil : now.instant + timeouts.idle
        }
        if case .flushing(let ending) = phase { flushed(then: ending, now: now) }
    }

    /// Called when a deadline may have passed.
    mutating func expire(now: Moment) {
        if let writeDeadline, writeDeadline <= now.instant { phase = .over(reset: true) }
        guard let deadline, deadline <= now.instant else { return }
        self.deadline = nil
        switch phase {
        case .receiving where deadlineIsOfRequest: refuse(.timedOut, now: now)
        case .receiving, .draining: phase = .over(reset: false)
        case .handling, .streaming, .stalling, .flushing, .over: break
        }
    }

    /// Called when the server stops: the request in progress is finished, and no other one begins.
    mutating func stop(now: Moment) {
        isStopping = true
        endStreamOfClient(now: now)
        if phase == .stalling || phase == .draining { phase = .over(reset: false) }
    }

    private mutating func refuse(_ rejection: Rejection, now: Moment) {
        let refusal = LocalBackend.Refusal(rejection.status, rejection.reason)
        phase = .handling
        exchange = Exchange(minorVersion: 1, keepsAlive: false)
        answer(Answer(LocalBackend.Response(refusal), to: nil), now: now)
    }

    private mutating func send(_ data: Data, now: Moment) {
        outbound.append(data)
        if !outbound.isEmpty, writeDeadline == nil { writeDeadline = now.instant + timeouts.idle }
    }

    private mutating func end(_ ending: Ending, now: Moment) {
        deadline = nil
        phase = .flushing(then: ending)
        if outbound.isEmpty { flushed(then: ending, now: now) }
    }

    /// Ends the connection before the end of a body. Without a length or chunks, closing it would be that end.
    private mutating func endEarly(now: Moment) { end(exchange.framing == .untilClose ? .reset : .drain, now: now) }

    private mutating func flushed(then ending: Ending, now: Moment) {
        switch ending {
        case .close: phase = .over(reset: false)
        case .reset: phase = .over(reset: true)
        case .stall: phase = clientIsDone || isStopping ? .over(reset: false) : .stalling
        case .drain where clientIsDone: phase = .over(reset: false)
        case .drain:
            phase = .draining
            deadline = now.instant + timeouts.draining
        }
    }
}
