import Presentation
import Testing

@testable import Browser

@Suite("HTML")
struct HTMLTests {
    @Test(
        "Texts that could end a tag or an attribute are escaped",
        arguments: [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onclick=\"x", "&quot; onclick=&quot;x"), ("'&'", "&#39;&amp;&#39;"),
            ("a\u{0}b\u{1B}", "a\u{FFFD}b\u{FFFD}"), ("a\u{7F}", "a\u{FFFD}"),
            ("Zürich\n東京", "Zürich\n東京"),
        ])
    func escaping(text: String, expected: String) {
        #expect(HTML.text(text).string == expected)
        #expect(HTML.element("p", attributes: ["title": text]).string == "<p title=\"\(expected)\"></p>")
    }

    @Test("An attribute without a value has only its name, one that is nil is left out, and a void element has no end")
    func attributes() {
        let input = HTML.element("input", id: "r1", attributes: ["disabled": "", "title": nil, "value": ""])
        #expect(input.string == #"<input id="r1" disabled value="">"#)
        #expect(HTML.element("p", class: "a b", .text("c"), .element("br")).string == #"<p class="a b">c<br></p>"#)
    }

    @Test("Each kind of row shows its texts as text, whatever they are", arguments: ["<b>", "\"><img src=x>", "&lt;b"])
    func rows(hostile: String) {
        let rows: [Screen<String>.Row] = [
            .text(hostile), .value(hostile, hostile), .choice(hostile, detail: hostile, action: ""),
            .field(hostile, text: hostile, placeholder: hostile, problem: hostile, edit: { $0 }),
            .button(.init(hostile, action: "")), .progress(.init(hostile)),
            .notice(.error, hostile, button: .init(hostile, action: "")),
        ]
        for row in rows {
            let html = RowContent(row).html(id: "r1").string
            #expect(!html.contains(hostile))
            #expect(html.contains(hostile.escapedForHTML))
        }
    }

    @Test("A text with a direction of its own is isolated from what surrounds it")
    func direction() {
        let row = RowContent(Screen<String>.Row.value("Name", "\u{202E}txt.exe"))
        #expect(row.html(id: "r1").string.contains("<bdi>\u{202E}txt.exe</bdi>"))
    }

    @Test("A secret is typed unseen, and a choice that is disabled cannot be pressed")
    func secretAndDisabled() {
        let secret = RowContent(Screen<String>.Row.field("PIN", text: "12", isSecret: true, edit: { $0 }))
        #expect(secret.html(id: "r1").string.contains("type=\"password\""))
        let choices = [true, false].map { RowContent(Screen<String>.Row.choice("One", isEnabled: $0, action: "")) }
        #expect(choices.map { $0.html(id: "r1").string.contains(" disabled>") } == [false, true])
        #expect(choices[0] != choices[1])
    }

    @Test("A field names its label, its problem and its text")
    func field() {
        let row = RowContent(Screen<String>.Row.field("Year", text: "19", problem: "Too short.", edit: { $0 }))
        let html = row.html(id: "r7").string
        #expect(html.contains("<label for=\"r7-input\"><bdi>Year</bdi></label>"))
        #expect(html.contains("aria-invalid=\"true\" aria-describedby=\"r7-problem\""))
        #expect(html.contains("value=\"19\""))
    }

    @Test(
        "A notice tells its kind in words, which are announced with its message, but without its button",
        arguments: [
            (NoticeKind.information, "Note"), (.success, "Success"), (.warning, "Warning"), (.error, "Error"),
        ])
    func notice(kind: NoticeKind, word: String) {
        let row = RowContent(Screen<String>.Row.notice(kind, "It rains.", button: .init("Again", action: "")))
        let html = row.html(id: "r1").string
        let announced = "<div data-announce><span class=\"kind\">\(word): </span><p dir=\"auto\">It rains.</p></div>"
        #expect(html.hasPrefix("<li id=\"r1\" class=\"notice \(kind.rawValue)\">\(announced)<button"))
    }
}
