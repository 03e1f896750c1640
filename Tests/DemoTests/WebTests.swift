import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The demo in a web browser")
struct WebTests {
    @Test("The address that is printed opens the page, and no other does, until the demo is interrupted")
    func page() async throws {
        let web = try Running("--web")
        let address = try await web.address()
        #expect(address.host() == "127.0.0.1")
        let (data, response) = try await URLSession(configuration: .ephemeral).data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("<title>Feedback</title>"))
        let other = try #require(URL(string: "/", relativeTo: address))
        let (_, refused) = try await URLSession(configuration: .ephemeral).data(from: other)
        #expect((refused as? HTTPURLResponse)?.statusCode == 403)
        web.process.interrupt()
        #expect(await web.end() == 0)
    }
}
