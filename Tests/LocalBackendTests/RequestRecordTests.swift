import Foundation
import Testing

@testable import LocalBackend

@Suite("The latest requests")
struct RequestRecordTests {
    private func request(_ target: String, body: Int = 0) -> LocalBackend.Request {
        var request = LocalBackend.Request(method: .post, target: target, minorVersion: 1)
        request.body = Data(count: body)
        return request
    }

    @Test("As many are kept as was asked for, however many come", arguments: [-1, 0, 1, 3])
    func limit(limit: Int) {
        var record = RequestRecord(limit: limit)
        for number in 1...20 {
            record.append(request("/\(number)"))
            let first = max(1, number - max(0, limit) + 1)
            #expect(record.requests.map(\.target) == (first..<number + 1).map { "/\($0)" })
        }
        record.clear()
        #expect(record.requests.isEmpty)
    }

    @Test("Those that take more than 64 MB together are dropped, except the last one")
    func bytes() {
        var record = RequestRecord(limit: 10)
        for number in 1...3 { record.append(request("/\(number)", body: 30 << 20)) }
        #expect(record.requests.map(\.target) == ["/2", "/3"])
        record.append(request("/4", body: 65 << 20))
        #expect(record.requests.map(\.target) == ["/4"])
        record.append(request("/5"))
        #expect(record.requests.map(\.target) == ["/5"])
        // The targets count, too.
        record.append(request("/6", body: 64 << 20 - 4))
        #expect(record.requests.map(\.target) == ["/5", "/6"])
        record.append(request(""))
        #expect(record.requests.map(\.target) == ["/5", "/6", ""])
        record.append(request("/"))
        #expect(record.requests.map(\.target) == ["/6", "", "/"])
    }

    @Test("The bytes of the names and the values of headers count", arguments: [1, 1_000])
    func headers(count: Int) {
        let text = String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: (30 << 20) / count), as: UTF8.self)
        for (name, value) in [("X", text), (text, "x")] {
            var record = RequestRecord(limit: 10)
            for number in 1...3 {
                var request = request("/\(number)")
                for _ in 0..<count { request.headers.add(name, value) }
                record.append(request)
            }
            #expect(record.requests.map(\.target) == ["/2", "/3"])
        }
    }
}
