import CPostgres
import Foundation
import Persistence

// Connecting to a server, and the reasons why that failed.

extension PostgresConnection {
    /// Connects; returns the connection, and the error if it cannot be used.
    static func connect(
        _ address: PostgresAddress, _ defaults: [String: String]
    ) throws(StoreError) -> (OpaquePointer, StoreError?) {
        guard let handle = address.withOptions(defaults: defaults, { PQconnectdbParams($0, $1, 0) }) else {
            throw .unreachable(reason: "there is no memory for a connection")
        }
        return (handle, failure(of: handle, address, defaults))
    }

    private static func failure(
        of handle: OpaquePointer, _ address: PostgresAddress, _ defaults: [String: String]
    ) -> StoreError? {
        guard PQstatus(handle) == CONNECTION_OK else {
            let reason = address.redacted(String(cString: PQerrorMessage(handle)).sentence)
            // The server's message may be in any language. A ping returns a status code instead.
            let isRefused =
                switch address.withOptions(defaults: defaults, { PQpingParams($0, $1, 0) }) {
                case PQPING_OK: isRefusedForGood(address, defaults)
                case PQPING_NO_ATTEMPT: true
                case PQPING_NO_RESPONSE: cannotVerify(handle, address, defaults)
                default: false
                }
            return isRefused ? .refused(reason: reason) : .unreachable(reason: reason)
        }
        if PQserverVersion(handle) < 130_000 {
            return .refused(reason: "\(address) is older than PostgreSQL 13; update the server")
        }
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
        if let encoding, encoding != "UTF8" {
            return .refused(
                reason: "\(address) keeps text as \(encoding); create the database with the encoding UTF8")
        }
        return nil
    }

    /// Returns true if there is a server at an address, even if it accepts no connection at the moment.
    static func isAnswering(_ address: PostgresAddress) -> Bool {
        let answer = address.withOptions(defaults: ["connect_timeout": "2"]) { PQpingParams($0, $1, 0) }
        return answer == PQPING_OK || answer == PQPING_REJECT
    }

    /// Connects again to a server that answers; returns true if it refuses for a reason that stays, such as a wrong
    /// password, and false if it has no free connection at the moment.
    ///
    /// libpq does not tell the server's code for the reason (SQLSTATE), except as the message if it is asked to.
    ///
    /// - Parameter milliseconds: The longest time to wait for each message of the server.
    static func isRefusedForGood(
        _ address: PostgresAddress, _ defaults: [String: String], within milliseconds: Int32 = 2_000
    ) -> Bool {
        guard let handle = address.withOptions(defaults: defaults, { PQconnectStartParams($0, $1, 0) }) else {
            return false
        }
        defer { PQfinish(handle) }
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        var status = PGRES_POLLING_WRITING
        while status == PGRES_POLLING_WRITING || status == PGRES_POLLING_READING {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            if poll(&descriptor, 1, milliseconds) <= 0 { return false }
            status = PQconnectPoll(handle)
        }
        // It may have become free meanwhile.
        if status == PGRES_POLLING_OK { return false }
        let code = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isWhitespace).last
        return code?.hasPrefix("53") != true
    }

    /// Returns true if the server would accept the connection if its certificate were not checked.
    private static func cannotVerify(
        _ handle: OpaquePointer, _ address: PostgresAddress, _ defaults: [String: String]
    ) -> Bool {
        let mode = PostgresAddress.options(takenFrom: PQconninfo(handle))?.first { $0.keyword == "sslmode" }?.value
        guard mode?.hasPrefix("verify") == true else { return false }
        // Even in this mode, libpq checks the certificate if it finds a file of root certificates.
        let unverified = ["sslmode": "require", "sslrootcert": "/nonexistent"]
        return address.withOptions(defaults: defaults, replacedBy: unverified) { PQpingParams($0, $1, 0) } == PQPING_OK
    }
}
