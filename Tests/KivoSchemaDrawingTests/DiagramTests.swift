import XCTest

@testable import KivoSchemaDrawing

/// The positions of boxes and lines in pictures.
final class DiagramTests: XCTestCase {
    private func forRandomOutlines(_ body: (Diagram, String) -> Void) {
        for seed in UInt64(1)...60 {
            var random = RandomOutline(seed: seed)
            body(Diagram(random.make()), "seed \(seed)")
        }
    }

    func testBoxesAreWithinThePictureAndApart() {
        forRandomOutlines { diagram, seed in
            for (index, box) in diagram.boxes.enumerated() {
                XCTAssertGreaterThanOrEqual(box.x, 0, seed)
                XCTAssertGreaterThanOrEqual(box.y, 0, seed)
                XCTAssertLessThanOrEqual(box.x + box.width, diagram.width + 1, seed)
                XCTAssertLessThanOrEqual(box.y + box.height, diagram.height + 1, seed)
                for other in diagram.boxes[(index + 1)...] {
                    let isApart =
                        box.x + box.width + 8 < other.x || other.x + other.width + 8 < box.x
                        || box.y + box.height + 8 < other.y || other.y + other.height + 8 < box.y
                    XCTAssertTrue(isApart, "\(seed): a box lies on another")
                }
            }
        }
    }

    func testLinesLeadFromTheirPropertyToTheirClass() {
        forRandomOutlines { diagram, seed in
            XCTAssertEqual(diagram.lines.count, diagram.outline.links.count, seed)
            for line in diagram.lines where !diagram.isLoop(line) {
                let (source, target) = (diagram.boxes[line.link.source], diagram.boxes[line.link.target])
                let (first, last) = (line.route[0], line.route[line.route.count - 1])
                let isForward = first.x < last.x
                XCTAssertEqual(first.x, isForward ? source.x + source.width : source.x, accuracy: 1, seed)
                XCTAssertEqual(first.y, source.y + Diagram.rowOffset(line.link.property), accuracy: 1, seed)
                XCTAssertEqual(last.x, isForward ? target.x : target.x + target.width, accuracy: 1, seed)
                XCTAssertEqual(last.y, target.y + Diagram.titleHeight / 2, accuracy: 1, seed)
            }
        }
    }

    func testLinesDoNotRunThroughBoxes() {
        forRandomOutlines { diagram, seed in
            for line in diagram.lines where !diagram.isLoop(line) {
                for index in stride(from: 0, to: line.route.count, by: 2) {
                    let (from, to) = (line.route[index], line.route[index + 1])
                    let (left, right) = (min(from.x, to.x), max(from.x, to.x))
                    for box in diagram.boxes where left + 1 < box.x + box.width && box.x < right - 1 {
                        let isOutside = from.y < box.y || from.y > box.y + box.height
                        XCTAssertTrue(isOutside, "\(seed): a line runs through a box")
                    }
                }
            }
        }
    }

    func testLinesBetweenLayersStayBetweenThem() {
        forRandomOutlines { diagram, seed in
            for line in diagram.lines where !diagram.isLoop(line) {
                for index in stride(from: 1, to: line.route.count - 1, by: 2) {
                    let (from, to) = (line.route[index], line.route[index + 1])
                    let (left, right) = (min(from.x, to.x), max(from.x, to.x))
                    // The ends of the way touch the boxes that it leads from and to.
                    let isInTheWay = diagram.boxes.contains {
                        left + 1 < $0.x + $0.width && $0.x + 1 < right && $0.y < max(from.y, to.y)
                            && min(from.y, to.y) < $0.y + $0.height
                    }
                    XCTAssertFalse(isInTheWay, "\(seed): a line passes from layer to layer through a box")
                }
            }
        }
    }

    func testThirtyClassesAroundOneMakeAPictureThatIsNotAStrip() {
        let things = (0..<29).map { SchemaOutline.Class("Thing\($0)", [.init("a", type: "Int")]) }
        func library(_ isTarget: Bool) -> SchemaOutline {
            let links = (0..<29).map {
                SchemaOutline.Property("thing\($0)", type: "Thing\($0)", target: "Thing\($0)")
            }
            guard isTarget else { return SchemaOutline([.init("Library", links)] + things) }
            let owned = things.map {
                SchemaOutline.Class($0.name, [.init("library", type: "Library", target: "Library")])
            }
            return SchemaOutline([.init("Library", [])] + owned)
        }
        for isTarget in [false, true] {
            let diagram = Diagram(library(isTarget))
            XCTAssertLessThan(diagram.height, 2 * diagram.width)
            XCTAssertLessThan(diagram.width, 3 * diagram.height)
        }
    }

    func testATreeHasNoCrossings() {
        let tree = SchemaOutline(
            (0..<15).map { index in
                let children = [2 * index + 1, 2 * index + 2].filter { $0 < 15 }
                return .init(
                    "N\(index)", children.map { .init("c\($0)", type: "N\($0)", target: "N\($0)") }.reversed()
                )
            })
        let diagram = Diagram(tree)
        // In each column, children are in the order of the rows that lead to them.
        for line in diagram.lines {
            for other in diagram.lines
            where line.route[0].x == other.route[0].x && line.route[0].y < other.route[0].y {
                XCTAssertLessThan(line.route.last!.y, other.route.last!.y)
            }
        }
    }

    func testALinkWithAWayBackEndsThere() throws {
        let outline = SchemaOutline([
            .init("Dog", [.init("owner", type: "Person", isOptional: true, target: "Person")]),
            .init(
                "Person",
                [
                    .init("name", type: "String"),
                    .init("dogs", type: "Dog", target: "Dog", collection: .inverse, origin: "owner"),
                ]),
        ])
        let diagram = Diagram(outline)
        let line = try XCTUnwrap(diagram.lines.first)
        XCTAssertEqual(diagram.lines.count, 1)
        XCTAssertEqual(line.route.last!.y, diagram.boxes[1].y + Diagram.rowOffset(1), accuracy: 1)
    }
}
