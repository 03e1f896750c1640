import Networking
import Testing

@testable import Things

struct ThingsServiceTests {
    @Test("The list is fetched from one place")
    func fetching() {
        let resource = ThingsService.fetchThings()
        #expect(resource.path == .api(.core, "/v1/things"))
        #expect(resource.method == .GET)
        #expect(resource.request == nil)
    }
}
