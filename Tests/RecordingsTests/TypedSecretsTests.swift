import Canned
import Foundation
import Networking
import Presentation
import Testing

@testable import Recordings

@Suite("The removal of secrets that were typed")
struct TypedSecretsTests {
    private func field(_ name: String) -> TypedSecrets.Field { .init(model: 1, name: name, place: 0) }

    @Test("A short secret is removed from the keys of the state after its event, a longer one from all keys")
    func keys() {
        var secrets = TypedSecrets()
        let line = ValueLines.Line(path: "tries.\"on\".\"hunter2 on\"", text: "on")
        func path(typed: String?) -> String { secrets.removed(from: line, typed: typed).path }
        #expect(path(typed: nil) == line.path && path(typed: "off") == line.path)
        #expect(path(typed: "on") == "tries.\"<redacted>\".\"hunter2 on\"")
        secrets.add("hunter2", in: field("Password"))
        #expect(path(typed: nil) == "tries.\"on\".\"<redacted> on\"")
        #expect(path(typed: "on") == "tries.\"<redacted>\".\"<redacted> on\"")
        // What is not a key is no text.
        #expect(secrets.removed(from: .init(path: "hunter2", text: "")).path == "hunter2")
    }

    @Test("Each answer and each request is searched for the secrets of that time")
    func answers() {
        var states = RedactedStates(Redaction())
        let answer = CannedAnswer(.GET, "/hunter2", body: "hunter2 or correct horse")
        let request = Recording.Request(method: "GET", path: "/hunter2", query: [["name", "correct horse"]])
        func text(_ answer: CannedAnswer) -> String {
            guard case let .response(_, _, body) = answer.outcome else { return "" }
            return answer.path + " " + String(decoding: body, as: UTF8.self)
        }
        #expect(text(states.removed(from: answer)) == "/hunter2 hunter2 or correct horse")
        #expect(states.removed(from: request) == request)
        for _ in 0..<2 {
            states.secrets.add("hunter2", in: field("Password"))
            #expect(text(states.removed(from: answer)) == "/<redacted> <redacted> or correct horse")
            #expect(states.removed(from: request).description == "GET /<redacted>?name=correct horse")
        }
        states.secrets.add("correct horse", in: field("Phrase"))
        #expect(text(states.removed(from: answer)) == "/<redacted> <redacted> or <redacted>")
        #expect(states.removed(from: request).description == "GET /<redacted>?name=<redacted>")
    }

    @Test("After another act the typing of a secret begins anew, and the text of before stays a secret")
    func anotherAct() {
        var secrets = TypedSecrets()
        secrets.add("hunter", in: field("Password"))
        secrets.endTyping()
        for text in ["hunter2", "hunter"] { secrets.add(text, in: field("Password")) }
        #expect(secrets.whole == ["hunter2", "hunter"])
        secrets.endTyping()
        secrets.add("hunt", in: field("Password"))
        #expect(secrets.whole == ["hunter2", "hunter", "hunt"])
    }
}
