import Foundation
import Testing

@testable import Sync

struct WebPageTests {
    @Test(
        "An answer is a web page if it begins as one, and its type does not say that it is something else",
        arguments: [
            ("<!DOCTYPE html><p>", "text/html", true), (" \t\r\n<p>", "text/html; charset=utf-8", true),
            ("<a/>", "Application/XHTML+xml", true), ("\u{FEFF}<html>", nil, true), ("<html>", "", true),
            ("<HTML lang=\"de\">", "text/plain", true), ("<!doctype HTML>", "application/octet-stream", true),
            ("<a/>", nil, false), ("<a/>", "text/plain", false), ("<!doctype xml>", nil, false),
            ("<html>", "application/json", false), ("<html>", "application/xml", false), ("", "text/html", false),
            (" \n", "text/html", false), ("{}", "text/html", false), ("[1]", nil, false), ("x<html>", nil, false),
        ] as [(String, String?, Bool)])
    func isAnswer(body: String, type: String?, isPage: Bool) {
        #expect(WebPage.isAnswer(Data(body.utf8), type: type) == isPage)
    }
}
