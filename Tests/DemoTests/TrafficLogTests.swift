import Feedback
import Foundation
import Testing

@testable import LocalBackend
@testable import demo

struct TrafficLogTests {
    @Test(
        "A secret of several lines is not printed",
        arguments: ["{\n  \"token\": {\n    \"value\": \"abc\"\n  }\n}", "{\"keys\": 1, \"key\": [\n  \"abc\"\n]}"])
    func lines(body: String) {
        let log = MutableProperty("")
        var request = LocalBackend.Request(method: .post, target: "/v1/notes?token=abc", minorVersion: 1)
        request.body = Data(body.utf8)
        TrafficLog(showsBodies: true) { log.value += $0 }.note(request, .init(body: .data(Data(body.utf8))))
        #expect(log.value.contains("→ {") && log.value.contains("← {"), "\(log.value)")
        #expect(!log.value.contains("abc"), "\(log.value)")
    }

    @Test("The lines of a request are written at once, so that those of another do not come between them")
    func oneWrite() {
        let writes = MutableProperty<[String]>([])
        Console { writes.value.append($0) }.print("GET /\n  → one\n  ← two")
        #expect(writes.value == ["GET /\n  → one\n  ← two\n"])
    }
}
