import Presentation
import Testing

@Suite("Plain text of HTML")
struct PlainTextTests {
    @Test(
        "It is what people read",
        arguments: [
            ("no markup", "no markup"),
            ("<p>one</p><p>two<br>three<br/>four</p>", "one\n\ntwo\nthree\nfour"),
            (
                "<p>Fish &amp; chips &lt;3 &quot;x&quot; &#8212; &#x27;y&#39; &hellip;</p>",
                "Fish & chips <3 \"x\" — 'y' …"
            ),
            ("AT&T &unknown; &amp;amp; a & b", "AT&T &unknown; &amp; a & b"),
            ("<a href=\"https://x.example\">a <b>link</b></a>", "a link"),
            ("<span class=\"h-card\"><a class=\"u-url mention\">@<span>ann</span></a></span> hi", "@ann hi"),
            (
                "<a><span class=\"invisible\">https://</span><span class=\"ellipsis\">x.example/a</span>"
                    + "<span class=\"invisible\">bc</span></a>", "x.example/a…"
            ),
            ("a  \n b\tc", "a  \n b\tc"),
            ("<p>a  \n b\tc</p>", "a b c"),
            ("<ul><li>one</li><li>two</li></ul>end", "• one\n• two\nend"),
            ("<pre>a\n  b</pre>", "a\n  b"),
            ("a<!-- <b> -->b<script>x<y</script>c<style>p{}</style>d", "abcd"),
            ("1 < 2 <3 a<b>c", "1 < 2 <3 ac"),
            ("<p", ""), ("a<", "a<"), ("a&", "a&"), ("&#0;&#xD800;&#99999999999;", "\u{FFFD}\u{FFFD}&#99999999999;"),
            ("a<div>b</div>c<p>d</p><div>e</div>", "a\nb\nc\n\nd\n\ne"),
            (
                "&#\(String(repeating: "0", count: 40))65; &\(String(repeating: "x", count: 40));",
                "A &\(String(repeating: "x", count: 40));"
            ),
            ("&#128;&#150;&#x92;&#x81;&#159;", "€–’\u{81}Ÿ"),
            ("&aring;&Oslash;&iexcl;&yuml;&infin;&rarr;&alpha;&Omega;&ge;&fnof;", "åØ¡ÿ∞→αΩ≥ƒ"),
            ("<span title='invisible ellipsis'>a</span>", "a"),
            ("<span data-class=invisible>a</span><span class=notinvisible>b</span>", "ab"),
            ("<span class = 'x invisible y'>a</span>b<SPAN CLASS=ellipsis>c</SPAN>", "bc…"),
            ("<pre>a\n\n\nb\r\n c</pre>d  e", "a\n\nb\n c\n\nd e"), ("</pre><p>a  b", "a b"),
            ("<br>a<br><br><br>b<H1>c</H1>d<tr>e", "a\n\nb\n\nc\n\nd\ne"), ("a&lt", "a<"), ("&amp;&gt", "&>"),
            ("<span class=invisible>a&amp;<span>b</span>c</span>d", "d"), ("<style>x</STYLE >a", "a"),
            ("<span hidden class='invisible'>a</span>b<span = class=invisible>c</span>d", "bd"),
            ("<p title='a>b\"'>c", "c"), ("<p title=\"a>b\">c", "c"), ("</span></p></span>x", "x"), ("", ""),
        ])
    func reading(html: String, text: String) {
        #expect(PlainText.of(html: html) == text)
    }

    @Test("Deeply nested and unclosed markup takes time in proportion to its length")
    func hostile() {
        for piece in ["<span>", "<!--", "<", "&", "<p ", "<script>", "<a href='"] {
            _ = PlainText.of(html: String(repeating: piece, count: 50_000))
        }
    }
}
