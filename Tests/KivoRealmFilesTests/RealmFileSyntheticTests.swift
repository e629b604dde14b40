import KivoRealmCommands
import KivoRealmFiles
import RealmFileBuilding
import XCTest

/// Files that the format allows, and of which the directory has no example.
final class RealmFileSyntheticTests: XCTestCase {
    /// The value of the only object as the dump has it.
    private func value(_ bytes: [UInt8]) throws -> JSON? {
        let dump = try JSON(RealmFile(bytes: bytes).dump(name: "made"))
        return dump["tables"]?.elements.first?["objects"]?.elements.first?["values"]?["value"]
    }

    private func number(_ value: Int) -> JSON { .number(String(value)) }

    func testValuesInPieces() throws {
        let text = Array("Grüße aus der Datei".utf8)
        // The second piece begins within a character.
        let string = FileBuilder.oneValue(type: 2) { builder in
            let pieces = [builder.blob(Array(text[..<3])), builder.blob(Array(text[3...]) + [0])]
            let value = builder.references(pieces, flags: FileBuilder.context)
            return builder.references([value], flags: FileBuilder.context)
        }
        XCTAssertEqual(try value(string), .string("Grüße aus der Datei"))
        let object = try XCTUnwrap(RealmFile(bytes: string).table(forClass: "Thing")?.object(at: 0))
        guard case .string("Grüße aus der Datei")? = try object.value(named: "value") else {
            return XCTFail("another value")
        }
        let data = FileBuilder.oneValue(type: 4) { builder in
            let pieces = (0..<5).map { builder.blob([UInt8](repeating: $0, count: 1000)) }
            let value = builder.references(pieces, flags: FileBuilder.context)
            return builder.references([value], flags: FileBuilder.context)
        }
        XCTAssertEqual(
            try value(data),
            .object([
                "byteLength": number(5000), "prefixHex": .string(String(repeating: "00", count: 32)),
                "sha256": .string("74159add5d89f18918f1461c9b9bdefbbcbe4d8247c07b7f126cc5421edf3c1a"),
            ]))
    }

    /// The column of plain integers in the first place has the key 0.
    func testAPrimaryKeyInTheFirstColumn() throws {
        for key in [0, nil] {
            var builder = FileBuilder()
            let leaf = builder.integers([7, 8])
            let root = builder.cluster(count: 2, [leaf])
            let table = builder.table([FileBuilder.Column(name: "id", type: 0)], root: root, primaryKey: key)
            let file = try RealmFile(bytes: builder.finish([("class_Thing", table)]))
            let thing = try XCTUnwrap(file.table(forClass: "Thing"))
            XCTAssertEqual(thing.primaryKey?.name, key == nil ? nil : "id")
        }
    }

    func testInvalidUTF8() throws {
        for bytes: [UInt8] in [
            [0xFF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
        ] {
            let file = FileBuilder.oneValue(type: 2) { $0.strings([bytes]) }
            let digits = bytes.map { String($0, radix: 16) }.joined()
            XCTAssertEqual(try value(file), .object(["invalidUTF8": .string(digits)]))
            let object = try XCTUnwrap(RealmFile(bytes: file).table(forClass: "Thing")?.object(at: 0))
            guard case .malformedString(bytes)? = try object.value(named: "value") else {
                return XCTFail("\(bytes)")
            }
        }
        for text in ["\u{0}\u{1F}\"\\/\u{8}\u{C}", "é€\u{10FFFF}", "aaaaaaaa\u{7F}"] {
            XCTAssertEqual(try value(FileBuilder.oneValue(type: 2) { $0.strings([text]) }), .string(text))
        }
    }

    func testDeepLists() throws {
        for compact in [true, false] {
            let bytes = FileBuilder.oneValue(type: 0, attributes: 32) { builder in
                var parts: [(ref: Int64, count: Int)] = []
                var next = 0
                for _ in 0..<27 {
                    let count = compact ? 4 : 1 + next % 7
                    parts.append((builder.integers((next..<next + count).map(Int64.init)), count))
                    next += count
                }
                while parts.count > 1 {
                    var upper: [(ref: Int64, count: Int)] = []
                    for start in stride(from: 0, to: parts.count, by: 3) {
                        let children = Array(parts[start..<start + 3])
                        let first =
                            compact
                            ? FileBuilder.tagged(children[0].count)
                            : builder.unsigned([
                                UInt64(children[0].count), UInt64(children[0].count + children[1].count),
                            ])
                        let count = children.reduce(0) { $0 + $1.count }
                        upper.append(
                            (
                                builder.references(
                                    [first] + children.map(\.ref) + [FileBuilder.tagged(count)],
                                    flags: FileBuilder.inner),
                                count
                            ))
                    }
                    parts = upper
                }
                return builder.references([parts[0].ref])
            }
            let object = try XCTUnwrap(RealmFile(bytes: bytes).table(forClass: "Thing")?.object(at: 0))
            guard case .list(let list)? = try object.value(named: "value") else { return XCTFail("no list") }
            var expected: Int64 = 0
            try list.forEach { value in
                guard case .int(expected) = value else { return XCTFail("\(value) instead of \(expected)") }
                guard case .int(expected) = try list.value(at: Int(expected)) else {
                    return XCTFail("at \(expected)")
                }
                expected += 1
            }
            XCTAssertEqual(Int(expected), list.storedCount)
            XCTAssertGreaterThan(expected, 27)
        }
    }

    func testDeepTables() throws {
        for compact in [true, false] {
            var builder = FileBuilder()
            var keys: [Int64] = []
            var outer: [Int64] = []
            for i in 0..<3 {
                var middle: [Int64] = []
                for j in 0..<2 {
                    var inner: [Int64] = []
                    for k in 0..<2 {
                        let base = Int64(i) << 24 | Int64(j) << 16 | Int64(k) << 8
                        let own: [Int64] = [0, 3, 254]
                        keys += own.map { base + $0 }
                        let array = builder.unsigned(own.map { UInt64($0) })
                        let leaf = builder.integers(own.map { base + $0 })
                        inner.append(builder.references([array, leaf]))
                    }
                    middle.append(
                        builder.references(
                            [
                                compact ? 0 : builder.unsigned([0, 256]), FileBuilder.tagged(1),
                                FileBuilder.tagged(6),
                            ]
                                + inner, flags: FileBuilder.inner))
                }
                outer.append(
                    builder.references(
                        [
                            compact ? 0 : builder.unsigned([0, 1 << 16]), FileBuilder.tagged(2),
                            FileBuilder.tagged(12),
                        ]
                            + middle, flags: FileBuilder.inner))
            }
            let root = builder.references(
                [
                    compact ? 0 : builder.unsigned([0, 1 << 24, 2 << 24]), FileBuilder.tagged(3),
                    FileBuilder.tagged(36),
                ]
                    + outer, flags: FileBuilder.inner)
            let ref = builder.table([FileBuilder.Column(name: "value", type: 0)], root: root)
            let bytes = builder.finish([("class_Deep", ref)])
            let table = try XCTUnwrap(RealmFile(bytes: bytes).table(forClass: "Deep"))
            XCTAssertEqual(table.count, 36)
            var found: [Int64] = []
            try table.forEachObject { found.append($0.key) }
            XCTAssertEqual(found, keys)
            for (place, key) in keys.enumerated() {
                XCTAssertEqual(try table.object(at: place)?.key, key)
                let object = try XCTUnwrap(table.object(withKey: key))
                guard case .int(key)? = try object.value(named: "value") else { return XCTFail("\(key)") }
                XCTAssertNil(try table.object(withKey: key + 1))
            }
            XCTAssertNil(try table.object(at: 36))
            XCTAssertNil(try table.object(at: -1))
            XCTAssertNil(try table.object(withKey: .max))
        }
    }

    /// Formats 21 and 22 order dictionaries by hashes of the keys, which can be negative.
    func testDictionariesOfEarlierFormats() throws {
        for version: UInt8 in [21, 22] {
            let bytes = FileBuilder.oneValue(version: version, type: 0, attributes: 64) { builder in
                func part(
                    _ builder: inout FileBuilder, _ hashes: [UInt64], _ keys: [String], _ values: [Int64?]
                ) -> Int64 {
                    let hashes = builder.unsigned(hashes)
                    let keys = builder.strings(keys)
                    let composites = builder.integers(values.map { $0.map { $0 << 8 | 1 } ?? 0 })
                    let values = builder.references([composites, 0, 0, 0])
                    return builder.references([hashes, keys, values])
                }
                let first = part(&builder, [5, .max - 3], ["seven", "b"], [7, nil])
                let second = part(&builder, [9, 10], ["", "äö"], [0, -5])
                let starts = builder.unsigned([0, 1 << 62])
                let root = builder.references(
                    [starts, FileBuilder.tagged(1), FileBuilder.tagged(4), first, second],
                    flags: FileBuilder.inner)
                return builder.references([root])
            }
            XCTAssertEqual(
                try value(bytes),
                .array([
                    .array([.string(""), number(0)]), .array([.string("b"), .null]),
                    .array([.string("seven"), number(7)]), .array([.string("äö"), number(-5)]),
                ]))
        }
    }

    func testDictionariesOutOfOrder() throws {
        let bytes = FileBuilder.oneValue(version: 23, type: 6, attributes: 64) { builder in
            let keys = builder.strings(["ba", "b", "", "a"])
            let values = builder.mixedIntegers([1, 2, 3, 4])
            let dictionary = builder.references([keys, values])
            return builder.references([dictionary])
        }
        let file = try RealmFile(bytes: bytes)
        guard
            case .dictionary(let dictionary)? = try file.table(forClass: "Thing")?.object(at: 0)?.value(
                named: "value")
        else { return XCTFail("no dictionary") }
        XCTAssertEqual(dictionary.count, 4)
        var found: [String] = []
        try dictionary.forEach { key, value in
            guard case .string(let key) = key, case .int(let value) = value else { return XCTFail("\(key)") }
            found.append("\(key)\(value)")
        }
        XCTAssertEqual(found, ["3", "a4", "b2", "ba1"])
    }

    /// Up to format 23, lists of links have a type of their own; tables of formats 10 and 11 have fewer parts.
    func testListsOfLinksOfEarlierFormats() throws {
        for version: UInt8 in [10, 11, 20, 21, 22, 23] {
            let bytes = FileBuilder.oneValue(version: version, type: 13, attributes: 32) { builder in
                let list = builder.integers([0, 0, -2, 0])
                return builder.references([list])
            }
            XCTAssertEqual(
                try value(bytes), .array([JSON](repeating: .object(["key": number(0)]), count: 3)),
                "\(version)")
            let table = try XCTUnwrap(RealmFile(bytes: bytes).table(forClass: "Thing"))
            XCTAssertEqual(table.properties[0].type, .link)
            XCTAssertEqual(table.properties[0].collection, .list)
            XCTAssertEqual(table.properties[0].targetClassName, "Thing")
            XCTAssertEqual(table.kind, .normal)
        }
    }

    func testInverseLinks() throws {
        var builder = FileBuilder(version: 22)
        let links = builder.integers([0, 2, 2])
        // No link, one with all of 63 bits, and one leaf of any length.
        let many = builder.integers((0..<1500).map { Int64(1499 - $0) })
        let inverse = builder.references([0, Int64(bitPattern: 0xFFFF_FFFF_FFFF_FFFD), many])
        let root = builder.cluster(count: 3, [links, inverse])
        let table = builder.table(
            [
                FileBuilder.Column(name: "to", type: 12, attributes: 16, target: 0),
                FileBuilder.Column(name: "", type: 14, target: 0, oppositeKey: 12 << 16),
            ], root: root)
        let bytes = builder.finish([("class_Node", table)])
        let dump = try JSON(RealmFile(bytes: bytes).dump(name: "made"))
        let objects = try XCTUnwrap(dump["tables"]?.elements.first?["objects"]?.elements)
        XCTAssertNil(objects[0]["backlinks"])
        let one = objects[1]["backlinks"]?.elements.first
        XCTAssertEqual(one?["class"], .string("Node"))
        XCTAssertEqual(one?["property"], .string("to"))
        XCTAssertEqual(one?["keys"], .array([.string("9223372036854775806")]))
        XCTAssertEqual(
            objects[2]["backlinks"]?.elements.first?["keys"], .array((0..<1500).map { number($0) }))
        var found: [Int64] = []
        try RealmFile(bytes: bytes).table(forClass: "Node")?.object(at: 2)?.forEachInverseLink {
            origin, column in
            XCTAssertEqual(column, 0)
            found.append(origin.key)
        }
        XCTAssertEqual(found.count, 1500)
    }

    func testDecimals() throws {
        func decimal(_ high: UInt64, _ low: UInt64) throws -> JSON? {
            try value(
                FileBuilder.oneValue(version: 23, type: 11, attributes: 16) {
                    $0.node(
                        flags: FileBuilder.inBytes | 5, count: 1,
                        FileBuilder.word(low) + FileBuilder.word(high))
                })
        }
        XCTAssertEqual(try decimal(0x7C00_0000_0000_0000, 0xAA), .null)
        let cases: [(UInt64, UInt64, String)] = [
            (0x3040_0000_0000_0000, 0, "0"), (0x303C_0000_0000_0000, 0, "0E-2"),
            (0x303C_0000_0000_0000, 1250, "12.50"),
            (0xB03E_0000_0000_0000, 5, "-5E-1"),
            (0x3041_ED09_BEAD_87C0, 0x378D_8E63_FFFF_FFFF, String(repeating: "9", count: 34)),
            (0x7800_0000_0000_0000, 0, "Inf"), (0x7C00_0000_0000_0000, 0, "NaN"),
            (0x3044_0000_0000_0000, 123, "1.23E4"),
        ]
        for (high, low, text) in cases {
            XCTAssertEqual(RealmFile.Decimal128(high: high, low: low).description, text)
            XCTAssertEqual(try decimal(high, low)?["repr"], .string(text))
        }
    }

    func testTypedLinkColumns() throws {
        let bytes = FileBuilder.oneValue(type: 16, attributes: 16) { $0.integers([1, 8]) }
        XCTAssertEqual(try value(bytes), .object(["class": .string("Thing"), "key": number(7)]))
        let null = FileBuilder.oneValue(type: 16, attributes: 16) { $0.integers([0, 0], width: 8) }
        XCTAssertEqual(try value(null), .null)
    }

    func testNullsOfFloatingPointNumbers() throws {
        for (attributes, expected) in [
            (16, JSON.null), (0, .object(["repr": .string("nan"), "bits": .string("7ff80000000000aa")])),
        ] {
            let bytes = FileBuilder.oneValue(type: 10, attributes: attributes) {
                $0.node(flags: FileBuilder.inBytes | 4, count: 1, FileBuilder.word(0x7FF8_0000_0000_00AA))
            }
            XCTAssertEqual(try value(bytes), expected)
        }
    }

    func testNestedCollections() throws {
        func nested(_ levels: Int) -> [UInt8] {
            FileBuilder.oneValue(type: 6) { builder in
                var leaf = builder.mixedIntegers([7])
                for _ in 0..<levels {
                    let composites = builder.integers([4 << 5 | 20])
                    let collections = builder.references([leaf])
                    leaf = builder.references([composites, 0, 0, 0, collections, 0])
                }
                return leaf
            }
        }
        var found = try value(nested(100))
        for _ in 0..<100 { found = found?["value"]?.elements.first }
        XCTAssertEqual(found?["value"], number(7))
        XCTAssertThrowsError(try value(nested(1000)))
    }

    func testEnumeratedStrings() throws {
        var builder = FileBuilder()
        let distinct = builder.strings(["red", nil, "green"])
        let leaf = builder.integers([2, 1, 0])
        let root = builder.cluster(count: 3, [leaf])
        let table = builder.table(
            [FileBuilder.Column(name: "value", type: 2, attributes: 16, distinct: distinct)], root: root)
        let dump = try JSON(RealmFile(bytes: builder.finish([("class_Color", table)])).dump(name: "made"))
        let objects = dump["tables"]?.elements.first?["objects"]?.elements ?? []
        XCTAssertEqual(objects.map { $0["values"]?["value"] }, [.string("green"), .null, .string("red")])
    }

    func testTablesOfTheEngine() throws {
        var builder = FileBuilder()
        let leaf = builder.integers([-1])
        let root = builder.cluster(count: 1, [leaf])
        let table = builder.table([FileBuilder.Column(name: "version", type: 0)], root: root)
        let file = try RealmFile(bytes: builder.finish([("metadata", table)]))
        XCTAssertNil(try file.schemaVersion())
        XCTAssertEqual(try file.schema().classes.count, 0)
        XCTAssertEqual(file.tableNames, ["metadata"])
        XCTAssertEqual(file.transaction, 2)
    }
}
