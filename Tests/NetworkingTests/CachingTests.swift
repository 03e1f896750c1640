import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Testing

@testable import Networking

@Suite("Caching")
struct CachingTests {
    private struct Server: Sendable {
        let requests = Box<[HTTPHeaders]>([])
        let answer = Box<(Int, HTTPHeaders, String)>((200, [:], "1"))

        var transport: StubTransport {
            StubTransport { request throws(CoreError) in
                requests.update { $0.append(request.fieldsToSend) }
                let (status, headers, body) = answer.value
                return try TransportResponse(status: status, headers: headers, body: Data(body.utf8), url: request.url)
            }
        }
    }

    private let server = Server()
    private let now = Box(Date(timeIntervalSince1970: 1_000_000_000))
    private let url = URL(filePath: "/").appending(path: "v1")

    private func makeRequest(_ method: HTTPMethod = .GET, _ headers: HTTPHeaders = [:], as token: String? = nil)
        -> TransportRequest
    {
        var request = TransportRequest(
            method: method, url: URL(string: "https://api.example.com/v1") ?? url, headers: headers)
        request.authorize(with: token.map { .bearer($0) })
        return request
    }

    /// A request for another resource of the same server.
    private func makeRequest(number: Int) -> TransportRequest {
        var request = makeRequest()
        request.url.append(path: "\(number)")
        return request
    }

    private func cached(_ cache: ResponseCache = ResponseCache()) -> some Transport {
        server.transport.caching(in: cache, now: { now.value })
    }

    private func text(_ response: TransportResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    private static let spellings = [
        "HTTPS://API.example.com/v1?a=B", "https://api.example.com:443/v1?a=B", "https://api.example.com/v1?a=B#part",
    ]

    @Test("An answer is found, and becomes out of date, however the address is written", arguments: spellings)
    func spelling(text: String) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        let url = try #require(URL(string: "https://api.example.com/v1?a=B"))
        let other = try #require(URL(string: text))
        _ = try await transport.send(TransportRequest(url: url))
        _ = try await transport.send(TransportRequest(url: other))
        #expect(server.requests.value.count == 1)
        _ = try await transport.send(TransportRequest(method: .PUT, url: other))
        _ = try await transport.send(TransportRequest(url: url))
        #expect(server.requests.value.count == 3)
    }

    @Test(
        "Another scheme, port, user, path or query is another address",
        arguments: [
            "http://api.example.com/v1?a=B", "https://api.example.com:80/v1?a=B", "https://u@api.example.com/v1?a=B",
            "https://api.example.com/V1?a=B", "https://api.example.com/v1?a=b", "https://api.example.com/v1",
            "https://u:p@api.example.com/v1?a=B", "https://api.example.com/v1/?a=B", "https://example.com/v1?a=B",
        ])
    func otherAddress(text: String) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(TransportRequest(url: #require(URL(string: "https://api.example.com/v1?a=B"))))
        _ = try await transport.send(TransportRequest(url: #require(URL(string: text))))
        #expect(server.requests.value.count == 2)
    }

    @Test("A fresh answer is not asked for again; a stale one is")
    func freshness() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "2")
        now.value += 59
        #expect(try await text(transport.send(makeRequest())) == "1")
        now.value += 2
        #expect(try await text(transport.send(makeRequest())) == "2")
        #expect(server.requests.value.count == 2)
    }

    @Test("A stale answer is confirmed by its tag, and is fresh again")
    func confirmation() async throws {
        let transport = cached()
        server.answer.value = (200, ["ETag": "\"7\"", "Last-Modified": "yesterday", "Cache-Control": "max-age=0"], "1")
        _ = try await transport.send(makeRequest())
        server.answer.value = (304, ["Cache-Control": "max-age=60"], "")
        let confirmed = try await transport.send(makeRequest())
        #expect(confirmed.status == 200 && text(confirmed) == "1" && confirmed.header("ETag") == "\"7\"")
        #expect(server.requests.value[1]["If-None-Match"] == "\"7\"")
        #expect(server.requests.value[1]["If-Modified-Since"] == "yesterday")
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 2)
    }

    @Test(
        "An answer that must not be stored is asked for each time",
        arguments: [
            ["Cache-Control": "no-store, max-age=60"], ["Vary": "*", "Cache-Control": "max-age=60"], [:],
            ["Cache-Control": "max-age=nonsense"], ["Cache-Control": "max-age"],
            ["Cache-Control": "max-age=60, max-age=0"], ["Cache-Control": "max-age=-60"], ["Expires": "0"],
            ["Cache-Control": "max-age=60", "Age": "60"],
        ] as [HTTPHeaders])
    func notStored(_ headers: HTTPHeaders) async throws {
        let transport = cached()
        server.answer.value = (200, headers, "1")
        _ = try await transport.send(makeRequest())
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 2)
    }

    @Test("An answer that is stale at once and cannot be confirmed takes no room")
    func useless() throws {
        let now = Date(timeIntervalSince1970: 1_000)
        let request = makeRequest()
        func isKept(_ headers: HTTPHeaders) throws -> Bool {
            let response = try TransportResponse(status: 200, headers: headers, url: request.url)
            return CachedAnswer(response, to: request, sent: now) != nil
        }
        #expect(try !isKept(["Cache-Control": "max-age=0"]))
        #expect(try isKept(["Cache-Control": "max-age=1"]))
        #expect(try isKept(["Cache-Control": "max-age=0", "ETag": "\"1\""]))
    }

    @Test("An answer that varies by more than 100 fields is not kept, since each is compared with the others")
    func varyingByMany() throws {
        let request = makeRequest()
        func isKept(fields: Int) throws -> Bool {
            let names = (0..<fields).map { "X-\($0)" }.joined(separator: ", ")
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": names]
            let response = try TransportResponse(status: 200, headers: headers, url: request.url)
            return CachedAnswer(response, to: request, sent: Date()) != nil
        }
        #expect(try isKept(fields: 100))
        #expect(try !isKept(fields: 101))
    }

    @Test("An answer that was on its way while a write changed its object is not kept", arguments: [true, false])
    func overtaken(isForgotten: Bool) async throws {
        let (isAsked, isWritten) = (Box(false), Box(false))
        let requests = Box(0)
        let slow = StubTransport { request throws(CoreError) in
            if request.method == .GET {
                requests.update { $0 += 1 }
                isAsked.value = true
                await eventually { isWritten.value }
            }
            return try TransportResponse(status: 200, headers: ["Cache-Control": "max-age=60"], url: request.url)
        }
        let cache = ResponseCache()
        let transport = slow.caching(in: cache, now: { [now] in now.value })
        let reading = Task { [request = makeRequest()] () async throws(CoreError) in try await transport.send(request) }
        await eventually { isAsked.value }
        if isForgotten { cache.removeAll() } else { _ = try await transport.send(makeRequest(.PUT)) }
        isWritten.value = true
        _ = try await reading.value
        _ = try await transport.send(makeRequest())
        #expect(requests.value == 2)
        _ = try await transport.send(makeRequest())
        #expect(requests.value == 2)
    }

    @Test("The answer to an earlier request does not replace that to a later one", arguments: [200, 304])
    func lateAnswer(status: Int) async throws {
        let (isAsked, isOvertaken, requests) = (Box(false), Box(false), Box(0))
        let fields: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "1"]
        let transport = StubTransport { request throws(CoreError) in
            let number = requests.update {
                $0 += 1
                return $0
            }
            guard number == 2 else {
                return try TransportResponse(
                    status: 200, headers: fields, body: Data([UInt8(number)]), url: request.url)
            }
            isAsked.value = true
            await eventually { isOvertaken.value }
            return try TransportResponse(status: status, headers: fields, body: Data([1]), url: request.url)
        }.caching(in: ResponseCache(), now: { [now] in now.value })
        _ = try await transport.send(makeRequest())
        now.value += 61
        let late = Task { [request = makeRequest()] () async throws(CoreError) in try await transport.send(request) }
        await eventually { isAsked.value }
        #expect(try await transport.send(makeRequest()).body == Data([3]))
        isOvertaken.value = true
        #expect(try await late.value.body == Data([1]))
        #expect(try await transport.send(makeRequest()).body == Data([3]))
        #expect(requests.value == 3)
    }

    @Test(
        "An answer that another one past the cache proves to be out of date is forgotten",
        arguments: [
            (["If-None-Match": "\"1\""], 200), (["If-Match": "\"1\""], 412), (["Cache-Control": "no-store"], 200),
            (["Cache-Control": "no-cache"], 404), (["Cache-Control": "no-cache"], 410),
        ] as [(HTTPHeaders, Int)])
    func passing(fields: HTTPHeaders, status: Int) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        server.answer.value = (status, [:], "2")
        _ = try await transport.send(makeRequest(.GET, fields))
        #expect(try await text(transport.send(makeRequest())) == "2")
    }

    @Test("A 304 of another version than the stored one confirms nothing, so the answer is fetched again")
    func otherVersion() async throws {
        let transport = StubTransport { [server] request throws(CoreError) in
            server.requests.update { $0.append(request.headers) }
            // A server that looks at the date alone, whose unit is a second.
            let isConfirmed = request.headers["If-Modified-Since"] != nil
            return try TransportResponse(
                status: isConfirmed ? 304 : 200,
                headers: ["ETag": server.answer.value.1["ETag"] ?? "", "Last-Modified": "today"],
                body: Data(isConfirmed ? "".utf8 : server.answer.value.2.utf8), url: request.url)
        }.caching()
        server.answer.value = (200, ["ETag": "\"a\""], "old")
        #expect(text(try await transport.send(makeRequest())) == "old")
        server.answer.value = (200, ["ETag": "\"b\""], "new")
        #expect(text(try await transport.send(makeRequest())) == "new")
        #expect(server.requests.value.map { $0["If-None-Match"] } == [nil, "\"a\"", nil])
        #expect(text(try await transport.send(makeRequest())) == "new")
        #expect(server.requests.value.last?["If-None-Match"] == "\"b\"")
        server.answer.value = (200, ["ETag": "W/\"b\""], "weak")
        #expect(text(try await transport.send(makeRequest())) == "new")
    }

    @Test("A 304 to a request without a condition is passed on")
    func unaskedConfirmation() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        now.value += 61
        server.answer.value = (304, [:], "")
        let answer = try await transport.send(makeRequest())
        #expect(answer.status == 304 && answer.body.isEmpty)
    }

    @Test("A 304 changes no field that describes the stored body")
    func fieldsOfConfirmation() async throws {
        let transport = cached()
        server.answer.value = (200, ["ETag": "\"a\"", "Content-Type": "application/json"], "[]")
        _ = try await transport.send(makeRequest())
        server.answer.value = (
            304, ["content-type": "text/html", "Content-Encoding": "gzip", "Content-Length": "9", "X-Rest": "5"], ""
        )
        let answer = try await transport.send(makeRequest())
        #expect(answer.headers == ["ETag": "\"a\"", "Content-Type": "application/json", "X-Rest": "5"])
    }

    @Test("An answer that another one past the cache confirms, or says nothing about, stays", arguments: [304, 500])
    func staying(status: Int) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        server.answer.value = (status, [:], "")
        _ = try await transport.send(makeRequest(.GET, ["If-None-Match": "\"1\""]))
        #expect(try await text(transport.send(makeRequest())) == "1")
    }

    @Test(
        "A write that is refused because the object has changed makes the stored answer out of date",
        arguments: [404, 409, 410, 412])
    func refusedWrite(status: Int) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        server.answer.value = (status, [:], "")
        _ = try await transport.send(makeRequest(.PUT, ["If-Match": "\"1\""]))
        server.answer.value = (200, [:], "2")
        #expect(try await text(transport.send(makeRequest())) == "2")
    }

    @Test("A write also makes out of date what its answer names, on the same server only")
    func namedByWrite() async throws {
        let transport = cached()
        var lists = ["https://api.example.com/cities", "https://other.example.com/cities"].map { address in
            TransportRequest(url: URL(string: address) ?? url)
        }
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        for list in lists { _ = try await transport.send(list) }
        for location in ["/cities#new", "https://other.example.com/cities"] {
            server.answer.value = (303, ["Location": location], "")
            _ = try await transport.send(makeRequest(.POST))
        }
        server.answer.value = (200, [:], "2")
        #expect(try await text(transport.send(lists.removeFirst())) == "2")
        #expect(try await text(transport.send(lists.removeFirst())) == "1")
    }

    @Test("The time that an answer took counts toward its age")
    func slowAnswer() async throws {
        let transport = StubTransport { [server, now] request throws(CoreError) in
            now.value += 10
            return try await server.transport.send(request)
        }.caching(in: ResponseCache(), now: { [now] in now.value })
        server.answer.value = (200, ["Cache-Control": "max-age=15"], "1")
        _ = try await transport.send(makeRequest())
        now.value += 4
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 1)
        now.value += 1
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 2)
    }

    @Test("An answer that was confirmed is as old as its confirmation", arguments: [nil, "40"])
    func ageOfConfirmation(age: String?) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60", "Age": "50", "ETag": "\"7\""], "1")
        _ = try await transport.send(makeRequest())
        now.value += 10
        server.answer.value = (304, [:], "")
        server.answer.value.1["Age"] = age
        #expect(try await transport.send(makeRequest()).header("Age") == age)
        now.value += 19
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 2)
        now.value += 1
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == (age == nil ? 2 : 3))
    }

    @Test("The age that an answer brings counts toward the age that a request allows", arguments: ["300", "300, 0"])
    func initialAge(age: String) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=600", "Age": age], "1")
        _ = try await transport.send(makeRequest())
        _ = try await transport.send(makeRequest(.GET, ["Cache-Control": "max-age=301"]))
        #expect(server.requests.value.count == 1)
        _ = try await transport.send(makeRequest(.GET, ["Cache-Control": "max-age=299"]))
        #expect(server.requests.value.count == 2)
        now.value += 2
        _ = try await transport.send(makeRequest(.GET, ["Cache-Control": "max-age=302"]))
        #expect(server.requests.value.count == 2)
        _ = try await transport.send(makeRequest(.GET, ["Cache-Control": "max-age=301"]))
        #expect(server.requests.value.count == 3)
    }

    @Test("A number of seconds that no integer holds is a very long time")
    func longAge() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=99999999999999999999"], "1")
        for _ in 0..<2 { _ = try await transport.send(makeRequest()) }
        #expect(server.requests.value.count == 1)
    }

    @Test("A write whose outcome is not known makes the answer out of date, too", arguments: [nil, 408, 504])
    func unknownWrite(status: Int?) async throws {
        let requests = Box(0)
        let transport = StubTransport { request throws(CoreError) in
            requests.update { $0 += 1 }
            if request.method == .PUT {
                guard let status else { throw .network(NetworkFailure(.timedOut, url: request.url.redacted)) }
                return try TransportResponse(status: status, url: request.url)
            }
            return try TransportResponse(status: 200, headers: ["Cache-Control": "max-age=60"], url: request.url)
        }.caching(in: ResponseCache(), now: { [now] in now.value })
        _ = try await transport.send(makeRequest())
        do throws(CoreError) {
            _ = try await transport.send(makeRequest(.PUT))
            #expect(status != nil)
        } catch {
            #expect(status == nil)
        }
        _ = try await transport.send(makeRequest())
        #expect(requests.value == 3)
    }

    @Test(
        "An answer that is confirmed with the word not to keep it is forgotten",
        arguments: [
            ["Cache-Control": "no-store, max-age=60"], ["Cache-Control": "private, max-age=60"],
            ["Cache-Control": "max-age=60", "Vary": "*"],
        ] as [HTTPHeaders])
    func confirmedForTheLastTime(_ fields: HTTPHeaders) async throws {
        let transport = cached()
        server.answer.value = (200, ["ETag": "\"7\"", "Cache-Control": "max-age=0"], "1")
        _ = try await transport.send(makeRequest())
        server.answer.value = (304, fields, "")
        #expect(try await text(transport.send(makeRequest())) == "1")
        server.answer.value = (200, [:], "2")
        #expect(try await text(transport.send(makeRequest())) == "2")
        #expect(server.requests.value[2]["If-None-Match"] == nil)
    }

    @Test("Only the server can judge a precondition", arguments: ["If-Match", "If-Unmodified-Since"])
    func precondition(_ name: String) async throws {
        let transport = cached()
        server.answer.value = (200, ["ETag": "\"7\"", "Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        _ = try await transport.send(makeRequest(.GET, [name: "\"6\""]))
        #expect(server.requests.value.count == 2)
    }

    @Test(
        "The age of an answer counts from its date, if that is more than the age that it brings",
        arguments: [nil, "20", "50"])
    func apparentAge(age: String?) async throws {
        let transport = cached()
        // Half a minute before now.
        server.answer.value = (200, ["Date": "Sun, 09 Sep 2001 01:46:10 GMT", "Cache-Control": "max-age=60"], "1")
        server.answer.value.1["Age"] = age
        _ = try await transport.send(makeRequest())
        now.value += age == "50" ? 9 : 29
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 1)
        now.value += 1
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 2)
    }

    @Test(
        "A date within the second of the request, or in the future, makes an answer no older", arguments: ["40", "55"])
    func dateOfNow(seconds: String) async throws {
        let transport = cached()
        now.value += 0.9
        let date = "Sun, 09 Sep 2001 01:46:\(seconds) GMT"
        server.answer.value = (200, ["Date": date, "Cache-Control": "max-age=1"], "1")
        _ = try await transport.send(makeRequest())
        now.value += 0.9
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 1)
    }

    @Test("An answer that was confirmed without a date does not count from its old one")
    func dateOfConfirmation() async throws {
        let transport = cached()
        let headers: HTTPHeaders = [
            "Date": "Sun, 09 Sep 2001 01:46:40 GMT", "Cache-Control": "max-age=60", "ETag": "\"7\"",
        ]
        server.answer.value = (200, headers, "1")
        _ = try await transport.send(makeRequest())
        now.value += 70
        server.answer.value = (304, [:], "")
        for _ in 0..<2 { _ = try await transport.send(makeRequest()) }
        #expect(server.requests.value.count == 2)
    }

    @Test("Expires counts from the server's date")
    func expires() async throws {
        now.value = Date(timeIntervalSince1970: 784_111_777)
        let transport = cached()
        let headers: HTTPHeaders = [
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sunday, 06-Nov-94 08:50:37 GMT",
        ]
        server.answer.value = (200, headers, "1")
        _ = try await transport.send(makeRequest())
        now.value += 59
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 1)
        now.value += 2
        _ = try await transport.send(makeRequest())
        #expect(server.requests.value.count == 2)
    }

    @Test("A user's cached answer is not given to another user")
    func credentials() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        for token in ["anna", "anna", "bert", nil] { _ = try await transport.send(makeRequest(as: token)) }
        #expect(server.requests.value.map { $0["Authorization"] } == ["Bearer anna", "Bearer bert", nil])
    }

    @Test(
        "Credentials in a resource's or session's own fields tell users apart as well",
        arguments: ["Authorization", "Cookie", "X-Api-Key", "X-Tenant", "Proxy-Authorization"])
    func ownFields(_ name: String) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        for value in ["anna", "anna", "bert", nil] {
            var request = makeRequest()
            request.headers[name] = value
            _ = try await transport.send(request)
        }
        #expect(server.requests.value.map { $0[name] } == ["anna", "bert", nil])
    }

    @Test("A private answer is kept for the user whom the request names, and not if it names none")
    func privateAnswers() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "private, max-age=60"], "1")
        for token in ["anna", "anna", nil, nil] { _ = try await transport.send(makeRequest(as: token)) }
        #expect(server.requests.value.map { $0["Authorization"] } == ["Bearer anna", nil, nil])
    }

    @Test("A download is neither answered from the cache nor kept in it")
    func download() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        var download = makeRequest()
        download.destination = .file(URL(filePath: "/not/used"))
        for request in [download, download, makeRequest(), makeRequest()] { _ = try await transport.send(request) }
        #expect(server.requests.value.count == 3)
    }

    @Test("A cached answer is held to the limit of the request that it answers")
    func limit() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "12345")
        _ = try await transport.send(makeRequest())
        var request = makeRequest()
        request.destination = .memory(limit: 5)
        #expect(try await text(transport.send(request)) == "12345")
        request.destination = .memory(limit: 4)
        let error = await failure { [request] () async throws(CoreError) in try await transport.send(request) }
        #expect(error == .network(NetworkFailure(.bodyTooLarge(limit: 4), url: "https://api.example.com/v1")))
    }

    /// The capacity of the smallest cache that answers the last of these requests.
    private func capacity(for requests: [TransportRequest]) async throws -> Int {
        var (least, most) = (0, 1 << 20)
        while least + 1 < most {
            let middle = (least + most) / 2
            let transport = cached(ResponseCache(capacity: middle))
            for request in requests { _ = try await transport.send(request) }
            let count = server.requests.value.count
            for request in requests { _ = try await transport.send(request) }
            if server.requests.value.count == count { most = middle } else { least = middle }
        }
        return most
    }

    @Test("An answer takes room for all that is kept of it and of its request")
    func sizes() async throws {
        let long = String(repeating: "x", count: 10_000)
        server.answer.value = (200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], "1")
        var plain = makeRequest(.GET, ["Accept-Language": "d"], as: "t")
        plain.url.append(path: "1")
        let size = try await capacity(for: [plain])
        #expect(size > 1_000 && size < 2_000)
        var requests = [plain, plain, plain, plain]
        requests[0].url.append(path: long)
        requests[1].authorize(with: .bearer("t" + long))
        requests[2].headers["Accept-Language"] = "d" + long
        requests[3].headers["X-Tenant"] = long
        for request in requests {
            let larger = try await capacity(for: [request])
            #expect(size + 10_000...size + 10_010 ~= larger)
        }
        server.answer.value.1["X"] = long
        #expect(try await capacity(for: [plain]) == size + 10_001)
        server.answer.value.2 += long
        #expect(try await capacity(for: [plain]) == size + 20_001)
    }

    @Test("The cache is full only beyond its capacity")
    func full() async throws {
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        let requests = (1...3).map { makeRequest(number: $0) }
        let size = try await capacity(for: [requests[0]])
        #expect(try await capacity(for: requests) == 3 * size)
    }

    @Test("An answer that is replaced takes no more room")
    func replaced() async throws {
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        let requests = (1...2).map { makeRequest(number: $0) }
        let transport = cached(ResponseCache(capacity: try await capacity(for: requests)))
        for request in requests { _ = try await transport.send(request) }
        for _ in 1...5 {
            var again = requests[0]
            again.headers["Cache-Control"] = "no-cache"
            _ = try await transport.send(again)
        }
        let count = server.requests.value.count
        for request in requests { _ = try await transport.send(request) }
        #expect(server.requests.value.count == count)
    }

    @Test("A directive's value may be quoted, and other directives are passed over")
    func quotedValue() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "public, max-age=\"60\" , MUST-REVALIDATE"], "1")
        for _ in 0..<2 { _ = try await transport.send(makeRequest()) }
        #expect(server.requests.value.count == 1)
    }

    @Test("Headers count toward the cache's size")
    func sizeOfHeaders() async throws {
        let cache = ResponseCache(capacity: 25_000)
        let transport = cached(cache)
        server.answer.value = (200, ["Cache-Control": "max-age=60", "X": String(repeating: "x", count: 30_000)], "1")
        for _ in 0..<2 { _ = try await transport.send(makeRequest()) }
        #expect(server.requests.value.count == 2)
    }

    @Test("An answer that varies with a field answers only requests with the same value")
    func vary() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], "1")
        for language in ["de", "de", "en"] {
            _ = try await transport.send(makeRequest(.GET, ["Accept-Language": language]))
        }
        #expect(server.requests.value.count == 2)
    }

    @Test("A change at the URL forgets what was stored there")
    func invalidation() async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        for method in [HTTPMethod.GET, .POST, .GET] { _ = try await transport.send(makeRequest(method)) }
        #expect(server.requests.value.count == 3)
    }

    @Test("A request that forbids cached answers reaches the server", arguments: ["no-cache", "no-store", "max-age=0"])
    func wish(_ directive: String) async throws {
        let transport = cached()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        _ = try await transport.send(makeRequest())
        now.value += 1
        _ = try await transport.send(makeRequest(.GET, ["Cache-Control": directive]))
        #expect(server.requests.value.count == 2)
    }

    @Test("The cache holds no more than its capacity, and drops what was unused the longest")
    func capacity() async throws {
        let cache = ResponseCache(capacity: 25_000)
        let transport = cached(cache)
        server.answer.value = (200, ["Cache-Control": "max-age=60"], String(repeating: "x", count: 10_000))
        for number in [1, 2, 1, 3, 1, 2] { _ = try await transport.send(makeRequest(number: number)) }
        #expect(server.requests.value.count == 4)
    }

    @Test("After any reads, replacements and removals, a full cache drops what was unused the longest")
    func leastRecentlyUsed() throws {
        var random = SystemRandomNumberGenerator()
        server.answer.value = (200, ["Cache-Control": "max-age=60"], "1")
        let keys = (10..<40).map { ResponseCache.Key(makeRequest(number: $0)) }
        let response = try TransportResponse(status: 200, headers: ["Cache-Control": "max-age=60"], url: url)
        let answer = try #require(CachedAnswer(response, to: makeRequest(), sent: now.value))
        let size = response.headers.size + keys[0].size + 1_000
        let cache = ResponseCache(capacity: 10 * size)
        // The indexes of the keys whose answers are stored, the longest unused one first.
        var expected: [Int] = []
        for step in 0..<5_000 {
            let number = Int.random(in: 0..<30, using: &random)
            let isStored = expected.contains(number)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                #expect((cache.answer(for: keys[number]) != nil) == isStored, "step \(step)")
                if isStored { expected = expected.filter { $0 != number } + [number] }
            case 6..<9:
                cache.store(answer, for: keys[number], cache.ticket(at: now.value))
                expected = Array((expected.filter { $0 != number } + [number]).suffix(10))
            default:
                cache.remove(keys[number], cache.ticket(at: now.value))
                expected.removeAll { $0 == number }
            }
        }
    }

    @Test("Over real sockets: the second time, the server only confirms")
    func overSockets() async throws {
        try await withBackend(transport: DefaultTransport().caching()) { backend, session in
            backend.get("/v1") { request in
                request.headers["If-None-Match"] == "\"7\"" ? .status(304) : .json([7], headers: ["ETag": "\"7\""])
            }
            for _ in 0..<3 {
                let numbers = try await session.access(BackendResource<Void, [Int], KongAuth>.get("/v1"))
                #expect(numbers == [7])
            }
            #expect(backend.requests.map { $0.headers["If-None-Match"] } == [nil, "\"7\"", "\"7\""])
        }
    }
}
