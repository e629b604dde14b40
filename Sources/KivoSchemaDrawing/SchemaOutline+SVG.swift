extension SchemaOutline {
    /// The schema as a picture, in the colours of the page that shows it, light or dark.
    var svg: String { SVGDrawing(Diagram(self)).text }
}

/// A writer of a diagram as SVG. The picture consists of shapes and text with classes of a style sheet, without scripts.
private struct SVGDrawing {
    private static let margin = 24.0
    private static let legendHeight = 34.0

    private let diagram: Diagram
    private(set) var text = ""

    init(_ diagram: Diagram) {
        self.diagram = diagram
        writeStart()
        for line in diagram.lines { write(line) }
        for index in diagram.boxes.indices { write(diagram.boxes[index], diagram.outline.classes[index]) }
        text += "</g>\n"
        writeLegend()
        text += "</svg>\n"
    }

    private var legend: [(mark: String, words: String)] {
        let outline = diagram.outline
        let properties = outline.classes.flatMap(\.properties)
        let links = diagram.lines.map(\.link)
        var legend: [(String, String)] = []
        func add(_ isThere: Bool, _ mark: String, _ words: String) {
            if isThere { legend.append((mark, words)) }
        }
        let end = SVGDrawing.arrow(34, 0, towards: 1, isDouble: false)
        add(
            links.contains { outline[$0].collection == nil },
            "<path class=\"line\" d=\"M0 0H26\"/>\(end)", "links to one")
        let ends = SVGDrawing.arrow(34, 0, towards: 1, isDouble: true)
        add(
            links.contains { outline[$0].collection != nil },
            "<path class=\"line\" d=\"M0 0H20\"/>\(ends)", "links to many")
        add(
            links.contains { outline.classes[$0.target].isEmbedded },
            "\(SVGDrawing.diamond(0, 0, towards: 1))<path class=\"line\" d=\"M12 0H34\"/>", "owns")
        add(properties.contains(where: \.isPrimaryKey), SVGDrawing.mark("key", 6, 4), "primary key")
        add(
            properties.contains { $0.isIndexed && !$0.isPrimaryKey }, SVGDrawing.mark("idx", 6, 4), "indexed")
        return legend
    }

    private mutating func writeStart() {
        let legendWidth = Double(legend.count) * 150
        let width = Int(max(diagram.width, legendWidth) + 2 * SVGDrawing.margin)
        let legendHeight = legend.isEmpty ? 0 : SVGDrawing.legendHeight
        let height = Int(diagram.height + 2 * SVGDrawing.margin + legendHeight)
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img">
            <title>Schema of \(diagram.outline.classes.count) classes</title>
            <style>
            \(SVGDrawing.style)
            </style>
            <rect class="page" width="\(width)" height="\(height)"/>
            <g transform="translate(\(Int(SVGDrawing.margin)) \(Int(SVGDrawing.margin)))">

            """
    }

    private mutating func writeLegend() {
        if legend.isEmpty { return }
        let y = diagram.height + SVGDrawing.margin + SVGDrawing.legendHeight
        for (index, entry) in legend.enumerated() {
            let x = SVGDrawing.margin + Double(index) * 150
            text += "<g class=\"legend\" transform=\"translate(\(number(x)) \(number(y)))\">\(entry.mark)"
            text += "<text x=\"44\" y=\"4\">\(entry.words)</text></g>\n"
        }
    }

    // MARK: Links

    private mutating func write(_ line: Diagram.Line) {
        let outline = diagram.outline
        let property = outline[line.link]
        let source = diagram.boxes[line.link.source]
        let target = diagram.boxes[line.link.target]
        let isDouble = property.collection != nil
        let isOwning = outline.classes[line.link.target].isEmbedded
        text += "<g class=\"link k\(target.color ?? 0)\"><title>"
        text += MarkupText.escaped(
            "\(outline.classes[line.link.source].name).\(property.name) → \(outline.classes[line.link.target].name)"
        )
        text += "</title>"
        if diagram.isLoop(line) {
            let x = source.x + source.width
            let start = source.y + Diagram.rowOffset(line.link.property)
            let end = source.y + Diagram.endOffset(line.link)
            writeLoop(x, start, end, isDouble, isOwning)
        } else {
            writeRoute(line.route, isDouble, isOwning)
        }
        text += "</g>\n"
    }

    private mutating func writeLoop(
        _ x: Double, _ start: Double, _ end: Double, _ isDouble: Bool, _ isOwning: Bool
    ) {
        let out = number(x + Diagram.loopWidth)
        let (from, to) = (x + (isOwning ? 12 : 0), x + (isDouble ? 14 : 8))
        text += "<path class=\"line\" d=\"M\(number(from)) \(number(start))"
        text += "C\(out) \(number(start)) \(out) \(number(end)) \(number(to)) \(number(end))\"/>"
        text += SVGDrawing.arrow(x, end, towards: -1, isDouble: isDouble)
        if isOwning { text += SVGDrawing.diamond(x, start, towards: 1) }
    }

    private mutating func writeRoute(_ route: [LayeredGraph.Point], _ isDouble: Bool, _ isOwning: Bool) {
        let (first, last) = (route[0], route[route.count - 1])
        let direction: Double = first.x < last.x ? 1 : -1
        var points = route
        points[points.count - 1].x -= direction * (isDouble ? 14 : 8)
        points[points.count - 2].x = points[points.count - 1].x
        if isOwning {
            points[0].x += direction * 12
            if (points[1].x - points[0].x) * direction < 0 { points[1].x = points[0].x }
        }
        text += "<path class=\"line\" d=\"M\(number(points[0].x)) \(number(points[0].y))"
        for index in stride(from: 1, to: points.count - 1, by: 2) {
            let (from, to) = (points[index], points[index + 1])
            let middle = number((from.x + to.x) / 2)
            if from.x != points[index - 1].x { text += "H\(number(from.x))" }
            text += "C\(middle) \(number(from.y)) \(middle) \(number(to.y)) \(number(to.x)) \(number(to.y))"
        }
        text += "H\(number(points[points.count - 1].x))\"/>"
        text += SVGDrawing.arrow(last.x, last.y, towards: direction, isDouble: isDouble)
        if isOwning { text += SVGDrawing.diamond(first.x, first.y, towards: direction) }
    }

    /// Returns an arrowhead whose tip is at a point, or two arrowheads.
    private static func arrow(_ x: Double, _ y: Double, towards direction: Double, isDouble: Bool) -> String {
        func head(_ x: Double) -> String {
            let base = number(x - 8 * direction)
            return "M\(number(x)) \(number(y))L\(base) \(number(y - 4))V\(number(y + 4))Z"
        }
        return "<path class=\"mark\" d=\"\(head(x))\(isDouble ? head(x - 6 * direction) : "")\"/>"
    }

    private static func diamond(_ x: Double, _ y: Double, towards direction: Double) -> String {
        let (middle, end) = (number(x + 6 * direction), number(x + 12 * direction))
        return "<path class=\"mark\" d=\"M\(number(x)) \(number(y))L\(middle) \(number(y - 4))"
            + "L\(end) \(number(y))L\(middle) \(number(y + 4))Z\"/>"
    }

    // MARK: Classes

    private mutating func write(_ box: Diagram.Box, _ some: SchemaOutline.Class) {
        let (width, height) = (number(box.width), number(box.height))
        text += "<g class=\"class\(box.color.map { " k\($0)" } ?? "")\(some.isEmbedded ? " embedded" : "")\""
        text += " transform=\"translate(\(number(box.x)) \(number(box.y)))\">"
        text += "<rect class=\"box\" width=\"\(width)\" height=\"\(height)\" rx=\"6\"/>"
        text +=
            "<path class=\"head\" d=\"M0 6a6 6 0 0 1 6 -6H\(number(box.width - 6))a6 6 0 0 1 6 6V\(number(Diagram.titleHeight - 2))H0Z\"/>"
        if box.color != nil {
            text +=
                "<rect class=\"mark\" y=\"\(number(Diagram.titleHeight - 3))\" width=\"\(width)\" height=\"2\"/>"
        }
        write(some.name, "title", Diagram.padding, Diagram.titleHeight / 2 + 4)
        if some.isEmbedded {
            write("embedded", "tag", box.width - Diagram.padding, Diagram.titleHeight / 2 + 4)
        }
        for (row, property) in some.properties.enumerated() {
            write(property, Diagram.rowOffset(row) + 4, box.width)
        }
        text += "</g>\n"
    }

    private mutating func write(_ property: SchemaOutline.Property, _ y: Double, _ width: Double) {
        if property.isPrimaryKey || property.isIndexed {
            text += SVGDrawing.mark(property.isPrimaryKey ? "key" : "idx", Diagram.padding - 2, y)
        }
        let isComputed = property.collection == .inverse
        let start = Diagram.padding + Diagram.markWidth
        write(property.name, property.isPrimaryKey ? "name key" : "name", start, y)
        let type = isComputed ? "type inverse" : property.target != nil ? "type to" : "type"
        write(property.declaredType, type, width - Diagram.padding, y)
    }

    private mutating func write(_ words: String, _ style: String, _ x: Double, _ y: Double) {
        let clipped = Diagram.clipped(words)
        text += "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">"
        if clipped != words { text += "<title>\(MarkupText.escaped(words))</title>" }
        text += MarkupText.escaped(clipped) + "</text>"
    }

    private static func mark(_ words: String, _ x: Double, _ y: Double) -> String {
        "<text class=\"badge\" x=\"\(number(x))\" y=\"\(number(y - 0.5))\">\(words)</text>"
    }

    // MARK: Style

    /// Returns a number with at most one digit after the point.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
        return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
    }

    private func number(_ value: Double) -> String { SVGDrawing.number(value) }

    private static let style = """
        text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12px;fill:#1f2328}
        .page{fill:#ffffff}.box{fill:#ffffff;stroke:#8c959f}.head{fill:#eaeef2}
        .embedded .box{stroke-dasharray:4 3}.embedded .head{fill:#fbf1d8}
        .title{font-size:14px;font-weight:700}.tag,.type{text-anchor:end;fill:#656d76}.key{font-weight:700}
        .to{fill:#1f2328;font-weight:700}.inverse{font-style:italic}.badge{font-size:9px;fill:#9a6700}
        .line{fill:none;stroke:currentColor;stroke-width:1.5}.mark{fill:currentColor}
        .link:hover .line{stroke-width:3.5}.legend,.legend text{color:#656d76;fill:#656d76}
        \(rules(["#0969da", "#1a7f37", "#bc4c00", "#8250df", "#bf3989", "#0e7490", "#9a6700", "#57606a"]))
        @media (prefers-color-scheme:dark){
        text{fill:#e6edf3}.page{fill:#0d1117}.box{fill:#161b22;stroke:#6e7681}.head{fill:#30363d}
        .embedded .head{fill:#4a3b13}.tag,.type{fill:#9198a1}.to{fill:#e6edf3}.badge{fill:#d29922}
        .legend,.legend text{color:#9198a1;fill:#9198a1}
        \(rules(["#58a6ff", "#3fb950", "#f0883e", "#a371f7", "#f778ba", "#39c5cf", "#d29922", "#8b949e"]))}
        """

    private static func rules(_ colors: [String]) -> String {
        colors.enumerated().map { ".k\($0){color:\($1)}" }.joined()
    }
}
