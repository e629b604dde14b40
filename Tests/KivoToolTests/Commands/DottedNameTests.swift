import Foundation
import XCTest

@testable import KivoTool

/// Classes of a file whose properties have dots and signs in their names: such a name wins over a path.
final class DottedNameTests: ToolTestCase {
    private func keys(_ words: String..., line: UInt = #line) -> [Int] {
        let answer = run(["dump", file.path, "--json", "--class", "Item"] + words)
        XCTAssertEqual(answer.code, .success, answer.errors, line: line)
        return answer.objects.compactMap { $0["key"] as? Int }
    }

    func testObjectsAreSorted() throws {
        try makeDottedNames()
        XCTAssertEqual(keys("--sort", "a.b"), [2, 3, 1])
        XCTAssertEqual(keys("--sort", "-a.b"), [1, 3, 2])
        XCTAssertEqual(keys("--sort", "a.c,a.b"), [2, 1, 3], "a path, because no property has this name")
        XCTAssertEqual(keys("--sort", "a.d.e"), [1, 2, 3], "a path through a link with a dot")
        XCTAssertEqual(keys("--sort", "-n"), [3, 1, 2], "the property has this sign")
        XCTAssertEqual(keys("--sort", "--n"), [2, 1, 3])
        XCTAssertEqual(keys("--sort", "end."), [3, 2, 1])
    }

    func testPredicatesFieldsAndFunctions() throws {
        try makeDottedNames()
        XCTAssertEqual(keys("--where", "a.b > 1", "--sort", "a.b"), [3, 1])
        XCTAssertEqual(keys("--where", "a.b == %@", "--arg", "2"), [3])
        XCTAssertEqual(keys("--where", "a.c == 'x' AND a.d.e == 20"), [2])
        let fields = run("dump", file.path, "--class", "Item", "--fields", "a.b,a.c,a.d.e", "--format", "csv")
        XCTAssertEqual(
            fields.output, "class,key,a.b,a.c,a.d.e\nItem,1,3,x,10\nItem,2,1,x,20\nItem,3,2,,30\n")
        let sum = run("dump", file.path, "--json", "--class", "Item", "--sum", "a.b", "--max", "a.d.e")
        XCTAssertEqual(
            sum.objects.first?["values"] as? [String: Int], ["sum(a.b)": 6, "max(a.d.e)": 30], sum.errors)
        XCTAssertEqual(
            run("set", file.path, "--class", "Item", "--where", "a.b == 3", "a.b=4", "--write").code, .success
        )
        XCTAssertEqual(keys("--where", "a.b == 4"), [1])
        for (option, name, message) in [
            ("--sort", "a.b.c", "'a.b.c' leads nowhere, because 'a.b' is no link to one object"),
            ("--sort", "a.x", "class 'Part' has no property 'x'"), ("--fields", "b.a", "no property 'b'"),
            ("--where", "a.b.c == 1", "'a.b.c' leads nowhere, because 'a.b' is no link"),
        ] {
            let answer = run("dump", file.path, "--class", "Item", option, name)
            XCTAssertEqual(answer.code, .usage, name)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
    }
}

extension ToolTestCase {
    /// Makes a file with three objects of class `Item`, whose property `a` is a link, and `a.b` and `a.d` are properties, too.
    func makeDottedNames() throws {
        func property(_ name: String, _ type: String, target: String? = nil) -> [String: Any] {
            [
                "name": name, "type": type, "nullable": target != nil, "collection": NSNull(),
                "target": target ?? NSNull(), "indexed": false, "primaryKey": false,
            ]
        }
        func some(_ name: String, _ properties: [[String: Any]]) -> [String: Any] {
            [
                "name": name, "typeName": name, "isEmbedded": false, "nextKey": 10, "properties": properties,
            ]
        }
        let classes = [
            some(
                "Item",
                [
                    property("a", "link", target: "Part"), property("a.b", "Int"),
                    property("a.d", "link", target: "Part"), property("-n", "Int"), property("end.", "Int"),
                ]),
            some("Part", [property("c", "String"), property("e", "Int")]),
        ]
        var lines: [[String: Any]] = [
            ["kivo": "export", "version": 1, "schemaVersion": "0", "classes": classes]
        ]
        for (key, (b, n, isLinked)) in [(3, 2, true), (1, 3, true), (2, 1, false)].enumerated() {
            lines.append([
                "class": "Item", "key": key + 1,
                "values": [
                    "a": isLinked ? ["key": 1] as Any : NSNull(), "a.b": b, "a.d": ["key": key + 1], "-n": n,
                    "end.": -key,
                ],
            ])
        }
        for key in 1...3 {
            lines.append(["class": "Part", "key": key, "values": ["c": "x", "e": 10 * key]])
        }
        let text = try lines.map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) + "\n"
        }
        let source = folder.appendingPathComponent("dots.jsonl")
        try Data(text.joined().utf8).write(to: source)
        let answer = run("import", source.path, file.path)
        XCTAssertEqual(answer.code, .success, answer.errors)
    }
}
