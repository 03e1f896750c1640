import Presentation
import Testing

@testable import Browser

@Suite("The messages to the page")
struct PageMessageTests {
    private func json(_ change: Page.Change, of page: Page = Page()) -> String {
        let json = PageMessage.change([change], handled: 3).json(of: page)
        let start = #"{"handled":3,"changes":["#
        return json.hasPrefix(start) && json.hasSuffix("]}") ? String(json.dropFirst(start.count).dropLast(2)) : json
    }

    @Test("A page has its stream, the server, the screen and its place, and all of its content")
    func whole() {
        let whole = PageMessage.Whole(
            stream: "s", server: "t", screen: 1, model: 2, depth: 3, handled: 4, title: "Notes", html: "h")
        #expect(PageMessage.page(whole).name == "page")
        #expect(
            PageMessage.page(whole).json(of: Page())
                == #"{"stream":"s","server":"t","screen":1,"model":2,"depth":3,"handled":4,"title":"Notes","html":"h"}"#
        )
    }

    @Test("A change has its place, and the content that is new there")
    func changes() {
        var page = Page()
        let screen = Screen<String>(title: "Notes", sections: [.init(rows: [.text("Milk")])])
        _ = page.update(to: screen.live)
        let row = Page.Row(id: "r1", content: .text("Milk"))
        let html = #"<li id=\"r1\" class=\"text\"><p dir=\"auto\">Milk<\/p><\/li>"#
        let (text, whole) = (html.replacing("\\/", with: "/"), page.html.string)
        #expect(json(.title("Bread")) == #"{"title":"Bread"}"#)
        #expect(json(.row(row)) == #"{"row":"r1","html":"\#(text)"}"#)
        #expect(
            json(.rows(section: 1, from: 2, removed: 3, inserted: [.new(row), .moved(id: "r9")]))
                == #"{"section":"s1","from":2,"removed":3,"inserted":[{"html":"\#(text)"},{"moved":"r9"}]}"#)
        let actions = page.actions
        #expect(json(.actions(actions)) == #"{"actions":"<nav id=\"actions\" aria-label=\"Actions\"></nav>"}"#)
        #expect(
            json(.everything, of: page)
                == "{\"everything\":\"\(whole.replacing("\"", with: "\\\""))\"}")
        #expect(PageMessage.change([], handled: 7).name == "change")
        #expect(PageMessage.change([], handled: 7).json(of: page) == #"{"handled":7,"changes":[]}"#)
    }
}
