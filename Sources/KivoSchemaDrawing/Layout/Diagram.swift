/// A schema as a picture: the positions of the classes' boxes, and the routes of the links.
///
/// Connected classes are laid out together. Classes without links to other classes are below, in columns.
struct Diagram {
    /// The box of a class.
    struct Box {
        var x = 0.0
        var y = 0.0
        var width: Double
        var height: Double
        /// The index of the colour of links to this class, or nil if there are none.
        var color: Int?
    }

    /// The line of a link.
    struct Line {
        var link: SchemaOutline.Link
        /// The route, as in ``LayeredGraph/Layout/routes``; empty for a link from a class to itself.
        var route: [LayeredGraph.Point]
    }

    static let charWidth = 7.23
    static let titleCharWidth = 8.43
    static let titleHeight = 30.0
    static let rowHeight = 20.0
    static let padding = 10.0
    static let markWidth = 24.0
    static let columnGap = 22.0
    static let loopWidth = 34.0
    static let colorCount = 8
    /// The number of columns to which names and types are cut.
    static let longestText = 44

    let outline: SchemaOutline
    private(set) var boxes: [Box] = []
    private(set) var lines: [Line] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ outline: SchemaOutline) {
        self.outline = outline
        boxes = outline.classes.map(Diagram.box)
        let links = outline.links
        lines = links.map { Line(link: $0, route: []) }
        color(links)
        let parts = parts(links)
        arrangeConnected(parts.filter { $0.count > 1 })
        arrangeSingle(parts.filter { $0.count == 1 }.map { $0[0] })
    }

    static func clipped(_ text: String) -> String {
        text.count > longestText ? text.prefix(longestText - 1) + "…" : text
    }

    /// Returns the middle of a row, from the top of its box.
    static func rowOffset(_ row: Int) -> Double { titleHeight + (Double(row) + 0.5) * rowHeight }

    private static func box(_ some: SchemaOutline.Class) -> Box {
        let title = some.name + (some.isEmbedded ? "  embedded" : "")
        var width = Double(TextWidth.columns(clipped(title))) * titleCharWidth
        for property in some.properties {
            let columns =
                TextWidth.columns(clipped(property.name)) + 2
                + TextWidth.columns(clipped(property.declaredType))
            width = max(width, markWidth + Double(columns) * charWidth)
        }
        let rows = Double(some.properties.count)
        return Box(
            width: (width + 2 * padding).rounded(.up),
            height: titleHeight + rows * rowHeight + (rows > 0 ? padding / 2 : 0))
    }

    /// Assigns colours to the classes, beginning with those that are the targets of the most links.
    private mutating func color(_ links: [SchemaOutline.Link]) {
        var counts = Array(repeating: 0, count: boxes.count)
        for link in links { counts[link.target] += 1 }
        let targets = boxes.indices.filter { counts[$0] > 0 }
        for (index, target) in targets.sorted(by: { (-counts[$0], $0) < (-counts[$1], $1) }).enumerated() {
            boxes[target].color = index % Diagram.colorCount
        }
    }

    /// Returns the groups of connected classes, each in ascending order.
    private func parts(_ links: [SchemaOutline.Link]) -> [[Int]] {
        var part = Array(boxes.indices)
        func root(_ box: Int) -> Int {
            var box = box
            while part[box] != box { box = part[box] }
            return box
        }
        for link in links {
            let (a, b) = (root(link.source), root(link.target))
            part[max(a, b)] = min(a, b)
        }
        let groups = Dictionary(grouping: boxes.indices, by: root)
        return groups.values.sorted { $0[0] < $1[0] }
    }

    // MARK: Classes that hang together

    private mutating func arrangeConnected(_ parts: [[Int]]) {
        let layouts = parts.map { (part: $0, layout: layout($0)) }.sorted {
            ($1.layout.height, $0.part[0]) < ($0.layout.height, $1.part[0])
        }
        let area = layouts.reduce(0) { $0 + $1.layout.width * $1.layout.height }
        let limit = max(layouts.map(\.layout.width).max() ?? 0, (area * 1.7).squareRoot())
        var (x, y, shelf) = (0.0, 0.0, 0.0)
        for (part, layout) in layouts {
            if x > 0, x + layout.width > limit { (x, y, shelf) = (0, y + shelf + 40, 0) }
            arrange(part, layout, x, y)
            x += layout.width + 60
            shelf = max(shelf, layout.height)
            width = max(width, x - 60)
            height = max(height, y + shelf)
        }
    }

    /// Returns the lines within a group of classes, except those from a class to itself.
    private func lines(within part: [Int]) -> [Int] {
        lines.indices.filter { part.contains(lines[$0].link.source) && !isLoop(lines[$0]) }
    }

    func isLoop(_ line: Line) -> Bool { line.link.source == line.link.target }

    /// Returns the offset of a line's end in its box: at the linking objects that lead back, or at the title.
    static func endOffset(_ link: SchemaOutline.Link) -> Double {
        link.inverse.map(rowOffset) ?? titleHeight / 2
    }

    private func layout(_ part: [Int]) -> LayeredGraph.Layout {
        let indexes = Dictionary(uniqueKeysWithValues: zip(part, 0...))
        let loops = Set(lines.filter(isLoop).map(\.link.source))
        let graph = LayeredGraph(
            boxes: part.map {
                .init(
                    width: boxes[$0].width, height: boxes[$0].height,
                    margin: loops.contains($0) ? Diagram.loopWidth : 0)
            },
            edges: lines(within: part).map { index in
                let link = lines[index].link
                return .init(
                    source: indexes[link.source]!, target: indexes[link.target]!,
                    sourceOffset: Diagram.rowOffset(link.property), targetOffset: Diagram.endOffset(link))
            })
        return graph.layout()
    }

    private mutating func arrange(_ part: [Int], _ layout: LayeredGraph.Layout, _ x: Double, _ y: Double) {
        for (index, box) in part.enumerated() {
            boxes[box].x = (x + layout.origins[index].x).rounded()
            boxes[box].y = (y + layout.origins[index].y).rounded()
        }
        for (index, line) in lines(within: part).enumerated() {
            lines[line].route = layout.routes[index].map { .init(x: x + $0.x, y: (y + $0.y).rounded()) }
        }
    }

    // MARK: Classes on their own

    private mutating func arrangeSingle(_ singles: [Int]) {
        guard let widest = singles.map({ boxes[$0].width }).max() else { return }
        let column = widest + Diagram.loopWidth + Diagram.columnGap
        let area = singles.reduce(0) { $0 + column * (boxes[$1].height + Diagram.columnGap) }
        let columns = max(1, Int(max(width, (area * 1.5).squareRoot()) / column))
        let top = height > 0 ? height + 50 : 0
        var bottoms = Array(repeating: top, count: columns)
        for box in singles {
            let lowest = bottoms.indices.min { (bottoms[$0], $0) < (bottoms[$1], $1) }!
            boxes[box].x = (Double(lowest) * column).rounded()
            boxes[box].y = bottoms[lowest]
            bottoms[lowest] += boxes[box].height + Diagram.columnGap
            width = max(width, boxes[box].x + boxes[box].width + Diagram.loopWidth)
        }
        height = max(height, (bottoms.max() ?? 0) - Diagram.columnGap)
    }
}

/// The width of text in a monospaced font.
package enum TextWidth {
    /// Returns the number of columns of a text: two for a character of East Asian scripts or an emoji, one for others.
    package static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    /// Returns a text with spaces behind it, so that it has at least so many columns.
    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - columns(text)))
    }

    private static func isWide(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE4F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F9FF, 0x20000...0x3FFFD:
            return true
        default: return scalar.properties.isEmojiPresentation
        }
    }
}
