import XCTest

@testable import KivoEngine

final class TablePropertyTests: XCTestCase {
    private func column(
        _ name: String, _ order: SequenceOrder? = nil, _ element: ElementKind = .word
    ) -> ColumnSpec {
        guard let order else { return ColumnSpec(name: name, kind: .word) }
        return ColumnSpec(name: name, kind: .sequence, element: element, order: order)
    }

    func testAMapIsOnePropertyWithTwoColumns() {
        let columns = [
            column("age"), column("marks", .sorted), column("notes", .sorted, .string),
            column("tags", .insertion, .string), column("notes.values", .values),
        ]
        let properties = columns.properties
        XCTAssertEqual(properties.map(\.name), ["age", "marks", "notes", "tags"])
        XCTAssertEqual(properties.map(\.kind), [.value, .set, .map, .list])
        XCTAssertEqual(properties.map(\.columns), [[0], [1], [2, 4], [3]])
        XCTAssertEqual(properties.map(\.spec.name), ["age", "marks", "notes.values", "tags"])
        XCTAssertEqual(properties.owner(ofColumn: 4)?.name, "notes")
        XCTAssertNil(properties.owner(ofColumn: 5))
        XCTAssertEqual(columns.map(\.propertyName), ["age", "marks", "notes", "tags", "notes"])
    }

    /// Names are free: only the order of the elements makes a column the values of a map.
    func testNamesLikeThoseOfColumnsOfMaps() {
        let columns = [
            column("a", .sorted, .string), column("a.values"), column("b", .insertion),
            column("b.values", .insertion), column("values", .values), column(".values", .values),
        ]
        XCTAssertEqual(columns.properties.map(\.name), ["a", "a.values", "b", "b.values"])
        XCTAssertEqual(columns.properties.map(\.kind), [.set, .value, .list, .list])
        XCTAssertEqual(
            columns.map(\.propertyName), ["a", "a.values", "b", "b.values", "values", ""])
    }

    /// A name can end with a letter that forms one character with the dot.
    func testTheNameOfAMapMayJoinTheSuffix() {
        let columns = [column("a\u{600}", .sorted, .string), column("a\u{600}.values", .values)]
        XCTAssertEqual(columns.properties.map(\.kind), [.map])
    }

    func testPropertiesFollowTheirColumns() {
        var catalog = Catalog()
        let owner = catalog.declare("Owner", isEmbedded: false)
        let part = catalog.declare("Part", isEmbedded: true)
        catalog.define(part, columns: [column("age")])
        var (list, link) = (column("all", .insertion, .link), ColumnSpec(name: "one", kind: .link))
        (list.target, list.isOwning, link.target, link.isOwning) = (part, true, part, true)
        catalog.define(owner, columns: [list, link])
        for isEmbedded in [false, true, false] {
            _ = catalog.setEmbedded(part, isEmbedded)
            XCTAssertEqual(catalog.tables[owner].properties.map(\.spec.isOwning), [isEmbedded, isEmbedded])
            XCTAssertEqual(catalog.tables[owner].properties, catalog.tables[owner].columns.properties)
        }
    }
}
