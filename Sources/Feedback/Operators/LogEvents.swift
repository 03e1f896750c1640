/// The events that `logEvents` can log.
public enum LoggingEvent {
    /// The events of a signal.
    public enum Signal: String, CaseIterable, Sendable {
        /// An event, logged under its own name. `terminated` comes after `completed`, `failed` and `interrupted`,
        /// `disposed` at the very end.
        case value, completed, failed, terminated, disposed, interrupted
    }

    /// The events of a producer.
    public enum SignalProducer: String, CaseIterable, Sendable {
        /// An event, logged under its own name. `starting` comes before the work of a producer begins, `started` after.
        case starting, started, value, completed, failed, terminated, disposed, interrupted
    }
}

/// A function that logs an event of a stream.
public typealias EventLogger =
    @Sendable (
        _ identifier: String, _ event: String, _ fileName: String, _ functionName: String, _ lineNumber: Int
    ) -> Void

/// Prints an event to the standard output.
public func defaultEventLog(
    identifier: String, event: String, fileName: String, functionName: String, lineNumber: Int
) {
    print("[\(identifier)] \(event) at \(fileName):\(lineNumber) in \(functionName)")
}

extension SignalProducer {
    /// Logs the events of each start.
    ///
    /// ```swift
    /// api.cities().logEvents(identifier: "cities", events: [.starting, .failed])
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: Names the stream in the log.
    ///   - events: The events to log; by default all.
    ///   - logger: The function that logs; by default it prints to the standard output.
    public func logEvents(
        identifier: String = "",
        events: Set<LoggingEvent.SignalProducer> = Set(LoggingEvent.SignalProducer.allCases),
        fileName: String = #fileID, functionName: String = #function, lineNumber: Int = #line,
        logger: @escaping EventLogger = defaultEventLog
    ) -> SignalProducer {
        @Sendable func log(_ event: LoggingEvent.SignalProducer, _ detail: String = "") {
            guard events.contains(event) else { return }
            logger(identifier, event.rawValue + detail, fileName, functionName, lineNumber)
        }
        return on(
            starting: { log(.starting) }, started: { log(.started) }, failed: { log(.failed, " \($0)") },
            completed: { log(.completed) }, interrupted: { log(.interrupted) }, terminated: { log(.terminated) },
            disposed: { log(.disposed) }, value: { log(.value, " \($0)") })
    }
}

extension Signal {
    /// Logs the events.
    ///
    /// - Parameters:
    ///   - identifier: Names the stream in the log.
    ///   - events: The events to log; by default all.
    ///   - logger: The function that logs; by default it prints to the standard output.
    public func logEvents(
        identifier: String = "", events: Set<LoggingEvent.Signal> = Set(LoggingEvent.Signal.allCases),
        fileName: String = #fileID, functionName: String = #function, lineNumber: Int = #line,
        logger: @escaping EventLogger = defaultEventLog
    ) -> Signal {
        @Sendable func log(_ event: LoggingEvent.Signal, _ detail: String = "") {
            guard events.contains(event) else { return }
            logger(identifier, event.rawValue + detail, fileName, functionName, lineNumber)
        }
        return on(
            failed: { log(.failed, " \($0)") }, completed: { log(.completed) }, interrupted: { log(.interrupted) },
            terminated: { log(.terminated) }, disposed: { log(.disposed) }, value: { log(.value, " \($0)") })
    }
}
