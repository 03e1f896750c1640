import Testing

@testable import Presentation

struct PictureTests {
    @Test("A line is drawn from point to point")
    func line() {
        let picture = Picture(
            "A cross", width: 8, height: 8,
            marks: [
                .line([.init(0, 0), .init(8, 8)]), .line([.init(8, 0), .init(0, 8)]),
            ])
        #expect(lines(picture, columns: 4, rows: 2) == ["⠑⢄⡠⠊", "⡠⠊⠑⢄"])
    }

    @Test("A line on an edge is drawn there, and a line of one point is a dot")
    func edgeLines() {
        #expect(lines(of: .line([.init(0, 0), .init(8, 0)])) == ["⠉⠉⠉⠉", ""])
        #expect(lines(of: .line([.init(0, 8), .init(8, 8)])) == ["", "⣀⣀⣀⣀"])
        #expect(lines(of: .line([.init(0, 0), .init(0, 8)])) == ["⡇", "⡇"])
        #expect(lines(of: .line([.init(8, 0), .init(8, 8)])) == ["   ⢸", "   ⢸"])
        for line in [[Picture.Point(4, 4)], [.init(4, 4), .init(4, 4)]] {
            #expect(lines(of: .line(line)) == lines(of: .dot(.init(4, 4))))
        }
        // A line that only touches a corner.
        #expect(lines(of: .line([.init(-4, 4), .init(4, -4)])) == ["⠁", ""])
    }

    @Test("A ring has no gaps")
    func ring() {
        let ring = Picture("A ring", width: 16, height: 16, marks: [.ring(.init(8, 8), radius: 4)])
        #expect(lines(ring, columns: 8, rows: 4) == ["", "  ⡴⠋⠉⠳⡄", "  ⢧⡀ ⣠⠇", "   ⠉⠉⠁"])
    }

    @Test("A dot is one dot, a larger one is a disc, and a ring is hollow")
    func circles() {
        #expect(lines(of: .dot(.init(4, 4))) == ["", "  ⠁"])
        #expect(dots(of: .dot(.init(4, 4), radius: 2)) == 13)
        #expect(dots(of: .ring(.init(4, 4), radius: 2)) < dots(of: .dot(.init(4, 4), radius: 2)))
        #expect(lines(of: .ring(.init(4, 4), radius: 0)) == lines(of: .dot(.init(4, 4))))
        #expect(dots(of: .dot(.init(0, 0), radius: 100)) == 8 * 8)
    }

    @Test("The picture keeps its proportions and fits into the room that there is")
    func size() {
        let frame = Picture(
            "A frame", width: 300, height: 100,
            marks: [
                .line([.init(0, 0), .init(300, 0), .init(300, 100), .init(0, 100), .init(0, 0)])
            ])
        let wide = lines(frame, columns: 30, rows: 24)
        #expect(wide.count == 5)
        #expect(wide[0].count == 30)
        let low = lines(frame, columns: 80, rows: 3)
        #expect(low.count == 3)
        #expect(low[0].count == 18)
        #expect(lines(Picture("A line", width: 8, height: 0.1), columns: 4, rows: 2).count == 1)
    }

    @Test(
        "A picture that is too small to be enlarged is not drawn",
        arguments: [(Double.leastNonzeroMagnitude, Double.leastNonzeroMagnitude), (.nan, 1)])
    func tiny(width: Double, height: Double) {
        let picture = Picture("A point", width: width, height: height, marks: [.dot(.init(0, 0))])
        #expect(PictureDrawing(picture, columns: 80, rows: 24) == nil)
    }

    @Test("The edges belong to the picture, and what lies outside is cut off")
    func edges() {
        for corner in [Picture.Point(0, 0), .init(8, 0), .init(0, 8), .init(8, 8)] {
            #expect(dots(of: .dot(corner)) == 1)
        }
        #expect(dots(of: .dot(.init(20, 4))) == 0)
        for (x, y) in [(-1.5, 4), (9.9, 4), (4, -1.5), (4, 9.9)] as [(Double, Double)] {
            #expect(dots(of: .dot(.init(x, y), radius: 2)) == 1)
        }
        #expect(dots(of: .dot(.init(-1, 4), radius: 2)) > 0)
        #expect(dots(of: .dot(.init(9, 4), radius: 2)) > 0)
        #expect(dots(of: .dot(.init(4, 9), radius: 2)) > 0)
        #expect(dots(of: .line([.init(-100, 4), .init(100, 4)])) == 8)
        #expect(dots(of: .line([.init(-100, 20), .init(100, 20)])) == 0)
    }

    @Test(
        "Numbers that are not places draw nothing, and end",
        arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func hostile(number: Double) {
        for mark in [
            Picture.Mark.dot(.init(number, 1), radius: 3), .dot(.init(1, 1), radius: number),
            .ring(.init(1, number), radius: number), .line([.init(number, 1), .init(1, number)]),
            .line([.init(number, number)]), .line([]),
        ] {
            _ = lines(of: mark)
        }
        #expect(PictureDrawing(Picture("", width: number, height: 1), columns: 10, rows: 10) == nil || number > 1)
        #expect(dots(of: .dot(.init(number, 1))) == 0)
    }

    @Test("A picture without area, or without room, has no lines")
    func empty() {
        #expect(PictureDrawing(Picture("", width: 0, height: 1), columns: 10, rows: 10) == nil)
        #expect(PictureDrawing(Picture("", width: 1, height: 0), columns: 10, rows: 10) == nil)
        #expect(PictureDrawing(Picture("", width: 1, height: 1), columns: 0, rows: 10) == nil)
        #expect(PictureDrawing(Picture("", width: 1, height: 1), columns: 10, rows: 0) == nil)
    }

    @Test("Later marks are drawn over earlier ones, and a cell has one colour")
    func tones() {
        var canvas = BrailleCanvas(columns: 3, rows: 1)
        canvas.set(0, 0, .faint)
        canvas.set(1, 0, .error)
        canvas.set(4, 0, .warning)
        #expect(canvas.lines.first?.spans == [.init(text: "⠉ ", role: .error), .init(text: "⠁", role: .warning)])
    }

    @Test("A dot beyond the edge of the canvas is not set, and a canvas may have no cells")
    func canvas() {
        var canvas = BrailleCanvas(columns: 2, rows: 2)
        for (x, y) in [(-1, 0), (0, -1), (4, 0), (0, 8), (4, 8), (.max, .min)] { canvas.set(x, y, .plain) }
        #expect(canvas.lines.map(\.text) == ["", ""])
        canvas.set(3, 7, .plain)
        #expect(canvas.lines.map(\.text) == ["", " ⢀"])
        for size in [-1, 0] {
            var empty = BrailleCanvas(columns: size, rows: size)
            empty.set(0, 0, .plain)
            #expect(empty.width == 0 && empty.height == 0 && empty.lines.isEmpty)
        }
    }

    @Test("A line that leaves the picture keeps its direction up to the edge")
    func direction() {
        let inside = Picture.Mark.line([.init(4, 0), .init(8, 4)])
        #expect(lines(of: .line([.init(4, 0), .init(12, 8)])) == lines(of: inside))
        #expect(lines(of: .line([.init(12, 8), .init(4, 0)])) == lines(of: inside))
        #expect(lines(of: .line([.init(0, -4), .init(12, 8)])) == lines(of: inside))
        #expect(lines(of: .line([.init(12, 8), .init(0, -4)])) == lines(of: inside))
    }

    @Test("A picture stands between the other rows, and keeps out of the way of the controls")
    func row() {
        let picture = Picture("A dot", width: 4, height: 4, marks: [.dot(.init(0, 0))])
        let screen = Screen<Int>(
            title: "T", sections: [.init(rows: [.text("above"), .picture(picture), .button("Press", action: 1)])])
        #expect(screen.controls.count == 1)
        #expect(screen.map { $0 + 1 }.rows.contains(.picture(picture)))
        let text = ScreenLayout(width: 20, focus: 0).parts(of: screen).lines.map(\.text)
        #expect(text.contains("above"))
        #expect(text.contains { $0.hasPrefix("⠁") || $0.contains("⠁") })
    }

    // MARK: - SVG

    @Test("As SVG it has the same marks, with their tones as classes")
    func svg() {
        let picture = Picture(
            "A house", width: 8, height: 4,
            marks: [
                .line([.init(0, 4), .init(8, 4)], .faint), .dot(.init(2, 1), radius: 1.5, .error),
                .ring(.init(4, 2), radius: 2, .highlight),
            ])
        #expect(
            picture.svg == """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8.0 4.0" role="img" aria-label="A house" \
                fill="none" stroke="none">\
                <polyline class="faint" stroke="currentColor" points="0.0,4.0 8.0,4.0"/>\
                <circle class="error" fill="currentColor" cx="2.0" cy="1.0" r="1.5"/>\
                <circle class="highlight" stroke="currentColor" cx="4.0" cy="2.0" r="2.0"/>\
                </svg>
                """)
    }

    @Test("As SVG its label cannot end the attribute, and marks without a place are left out")
    func hostileSVG() {
        let picture = Picture(
            "\"><script>&\u{0}", width: 1, height: 1,
            marks: [
                .dot(.init(.nan, 0)), .dot(.init(0, .nan)), .ring(.init(0, 0), radius: .infinity),
                .line([.init(0, 0), .init(.infinity, 0)]), .line([]), .line([.init(0, 0)]),
            ])
        #expect(picture.svg.contains("aria-label=\"&quot;&gt;&lt;script&gt;&amp; \""))
        #expect(!picture.svg.contains("nan") && !picture.svg.contains("inf") && !picture.svg.contains("<circle"))
        #expect(!picture.svg.contains("<polyline"))
    }

    // MARK: - Machinery

    private func lines(of mark: Picture.Mark) -> [String] {
        lines(Picture("A mark", width: 8, height: 8, marks: [mark]), columns: 4, rows: 2)
    }

    private func lines(_ picture: Picture, columns: Int, rows: Int) -> [String] {
        PictureDrawing(picture, columns: columns, rows: rows)?.lines.map(\.text) ?? []
    }

    private func dots(of mark: Picture.Mark) -> Int {
        lines(of: mark).joined().unicodeScalars.reduce(0) { count, scalar in
            scalar == " " ? count : count + Int(scalar.value - 0x2800).nonzeroBitCount
        }
    }
}
