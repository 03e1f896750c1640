#if os(Linux)
import Foundation
import Networking
import Testing

/// In a process of its own, whose environment names a proxy.
@Suite("Proxies")
struct ProxyTests {
    @Test("Requests go through the proxy of the environment, except to the hosts that it excludes")
    func environment() async {
        await #expect(processExitsWith: .success) {
            let answer: @Sendable (String) -> [UInt8] = { text in
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
            }
            let proxy = try RawServer { _, send in
                send(answer("by proxy"))
                return .keep
            }
            let server = try RawServer { _, send in
                send(answer("directly"))
                return .keep
            }
            setenv("http_proxy", proxy.url.absoluteString, 1)
            setenv("no_proxy", "127.0.0.1", 1)
            let far = try #require(URL(string: "http://backend.invalid/cities"))
            let transport = CurlTransport()
            var texts: [String] = []
            for url in [far, server.url] {
                let response = try await transport.send(TransportRequest(url: url, timeout: .seconds(60)))
                texts.append(String(decoding: response.body, as: UTF8.self))
            }
            #expect(texts == ["by proxy", "directly"])
            let target = try #require(proxy.requests.first?.path)
            #expect(target.hasPrefix("http://backend.invalid") && target.hasSuffix("/cities"))
        }
    }

    @Test("Requests to this machine never go through a proxy, as in browsers")
    func loopback() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer(answering: Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
            // Nothing listens there.
            for name in ["http_proxy", "https_proxy", "all_proxy"] { setenv(name, "http://127.0.0.1:9", 1) }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            let transport = CurlTransport()
            for host in ["127.0.0.1", "localhost", "app.localhost"] {
                let url = try #require(URL(string: "http://\(host):\(server.url.port ?? 0)/"))
                let response = try await transport.send(TransportRequest(url: url, timeout: .seconds(60)))
                #expect(response.status == 204)
            }
            let near = try #require(URL(string: "http://127.0.0.1.backend.invalid/"))
            let error = await failure { () async throws(CoreError) in
                try await transport.send(TransportRequest(url: near, timeout: .seconds(60)))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .cannotConnect)
        }
    }
}
#endif
