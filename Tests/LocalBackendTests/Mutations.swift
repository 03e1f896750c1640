import Foundation

@testable import LocalBackend

/// Requests that are nearly right: the same ones from the same seed.
struct Mutations {
    private var dice: SeededNumbers

    init(seed: UInt64) { dice = SeededNumbers(seed: seed) }

    static let wholeRequests: [[UInt8]] = [
        "GET /v1/cities?page=2&q=a%20b HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
        "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\nContent-Type: text/plain\r\n\r\nhello world",
        "PUT /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: u\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
        "GET http://localhost/plain HTTP/1.1\r\nHost: localhost\r\n\r\nGET /plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "DELETE /v1/cities/7 HTTP/1.1\r\nHost: localhost\r\nX-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n\r\n",
    ].map { Array($0.utf8) }

    private static let splinters: [[UInt8]] = [
        "\r\n", "\n", "\r", "\0", " ", ":", "\t", "%", "%0", "#", "\r\n ", "\r\n\r\n", "HTTP/1.1", "HTTP/9.9",
        "Content-Length: 5\r\n", "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n", "Expect: 100-continue\r\n", "Host: b\r\n", "0\r\n\r\n", "ffffffffffffffff\r\n",
        "-1", "\u{FEFF}", "Connection: close\r\n",
    ].map { Array($0.utf8) }

    mutating func number(below limit: Int) -> Int { Int(dice.fraction() * Double(limit)) }

    /// A request with one to four changes: bytes replaced, lost, doubled, splinters put in, the end cut off.
    mutating func next() -> [UInt8] {
        var bytes = Mutations.wholeRequests[number(below: Mutations.wholeRequests.count)]
        for _ in 0...number(below: 4) where !bytes.isEmpty {
            let place = number(below: bytes.count)
            switch number(below: 7) {
            case 0: bytes[place] = UInt8(number(below: 256))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[place], at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + number(below: 20)))
            case 4: bytes.removeLast(bytes.count - place)
            default: bytes.insert(contentsOf: Mutations.splinters[number(below: Mutations.splinters.count)], at: place)
            }
        }
        return bytes
    }

    /// The same bytes in random portions.
    mutating func portions(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var portions: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        repeat {
            let portion = rest.prefix(1 + number(below: 12))
            portions.append(portion)
            rest = rest.dropFirst(portion.count)
        } while !rest.isEmpty
        return portions
    }
}
