import KivoRealmCommands
import KivoRealmFiles
import RealmFileBuilding
import XCTest

/// Files which are not read, and why.
final class RealmFileRefusalTests: XCTestCase {
    private func refusal(_ bytes: [UInt8], file: StaticString = #filePath, line: UInt = #line)
        -> RealmFileError?
    {
        do {
            _ = try RealmFile(bytes: bytes).dump(name: "")
            XCTFail("the file was read", file: file, line: line)
            return nil
        } catch {
            return error as? RealmFileError
        }
    }

    private func empty(version: UInt8, slot: UInt8 = 0) -> [UInt8] {
        var bytes = FileBuilder(version: version).finish([])
        if slot == 1 {
            bytes.swapAt(0, 8)
            bytes.swapAt(1, 9)
            bytes[20] = 0
            bytes[23] = 1
        }
        return bytes
    }

    func testVersions() throws {
        for version in UInt8.min...UInt8.max {
            for slot: UInt8 in [0, 1] {
                let bytes = empty(version: version, slot: slot)
                if RealmFileError.readableVersions.contains(Int(version)) {
                    let file = try RealmFile(bytes: bytes)
                    XCTAssertEqual(file.formatVersion, Int(version))
                    XCTAssertEqual(file.slot, Int(slot))
                } else {
                    XCTAssertEqual(refusal(bytes), .unsupportedVersion(Int(version), offset: 20 + Int(slot)))
                }
            }
        }
    }

    func testStreamingForm() throws {
        let bytes = FileBuilder().finish([], streaming: true)
        XCTAssertTrue(try RealmFile(bytes: bytes).isStreaming)
        XCTAssertEqual(refusal(Array(bytes.dropLast(8)))?.reasonName, "truncated")
        // Opened for writing since: the other place is current, the first one and the end stay as they are.
        var opened = bytes
        opened.replaceSubrange(8..<16, with: bytes[(bytes.count - 16)..<(bytes.count - 8)])
        opened[23] = 1
        XCTAssertFalse(try RealmFile(bytes: opened).isStreaming)
    }

    func testPlacesOfErrors() {
        XCTAssertEqual(refusal([])?.offset, 0)
        XCTAssertEqual(refusal([1, 2, 3])?.offset, 3)
        let foreign = Array("This is a text and no Realm, whatever its name is.......".utf8)
        XCTAssertEqual(refusal(foreign)?.reasonName, "notARealm")
        XCTAssertEqual(refusal(foreign)?.offset, 16)
        var bytes = empty(version: 24)
        bytes[0] += 4
        XCTAssertEqual(refusal(bytes)?.offset, 0)
        XCTAssertEqual(refusal(Array(empty(version: 24).dropLast()))?.reasonName, "truncated")
        for error in [RealmFileError.empty, .encrypted, .notFound, .unsupportedVersion(9, offset: 20)] {
            XCTAssertFalse(error.description.isEmpty)
        }
    }

    /// Realm itself converts such files, but not in all versions.
    func testAFormatThatIsTooOldNamesTheWayOut() {
        let old = RealmFileError.unsupportedVersion(9, offset: 20).description
        XCTAssert(old.contains("version 9; versions 10, 11") && old.contains("realm-swift 5.0 to 10.48"), old)
        XCTAssertFalse(RealmFileError.unsupportedVersion(25, offset: 20).description.contains("5.0"))
    }

    func testEncrypted() {
        var bytes: [UInt8] = [3, 0, 0, 0]
        var state: UInt32 = 1
        while bytes.count < 8192 {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.append(UInt8(truncatingIfNeeded: state >> 24))
        }
        XCTAssertEqual(refusal(bytes), .encrypted)
        XCTAssertEqual(refusal(Array(bytes.dropLast(8)))?.reasonName, "notARealm")
        // A picture file begins with small numbers, and many zeros.
        var picture = [UInt8](repeating: 0, count: 8192)
        picture[2] = 1
        picture[4] = 1
        XCTAssertEqual(refusal(picture)?.reasonName, "notARealm")
    }

    func testSystemErrors() {
        XCTAssertThrowsError(try RealmFile(path: "/no/such/file.realm")) {
            XCTAssertEqual($0 as? RealmFileError, .notFound)
        }
        XCTAssertThrowsError(try RealmFile(path: "/")) {
            XCTAssertEqual($0 as? RealmFileError, .permissionDenied)
        }
    }

    /// The counts are larger than any number of bytes allows.
    func testCountsThatOverflow() {
        for count in [1 << 40, 1 << 58, 1 << 60, 1 << 61 - 1, 1 << 62 - 1] {
            let file = FileBuilder.oneValue(type: 0, attributes: 32) { builder in
                let leaf = builder.integers([1])
                let list = builder.integers(
                    [FileBuilder.tagged(10), leaf, FileBuilder.tagged(count)],
                    flags: FileBuilder.refs | FileBuilder.inner)
                return builder.references([list])
            }
            XCTAssertEqual(refusal(file)?.reasonName, "damaged")
        }
    }

    func testLoops() {
        // An inner node of a list which is its own child.
        XCTAssertEqual(
            refusal(
                FileBuilder.oneValue(type: 0, attributes: 32) { builder in
                    let here = Int64(builder.bytes.count)
                    let list = builder.integers(
                        [FileBuilder.tagged(10), here, FileBuilder.tagged(10)],
                        flags: FileBuilder.refs | FileBuilder.inner)
                    return builder.references([list])
                })?.reasonName, "damaged")
        // A list in a value of any type which is in itself.
        XCTAssertEqual(
            refusal(
                FileBuilder.oneValue(type: 6) { builder in
                    let composites = builder.integers([4 << 5 | 20])
                    let collections = Int64(builder.bytes.count)
                    _ = builder.integers([collections + 16], flags: FileBuilder.refs, width: 64)
                    return builder.references([composites, 0, 0, 0, collections, 0])
                })?.reasonName, "damaged")
        // An inner node of a table which is its own child.
        var builder = FileBuilder()
        let here = Int64(builder.bytes.count)
        let root = builder.integers(
            [0, FileBuilder.tagged(1), FileBuilder.tagged(1), here],
            flags: FileBuilder.refs | FileBuilder.inner)
        let table = builder.table([], root: root)
        XCTAssertEqual(refusal(builder.finish([("class_Loop", table)]))?.reasonName, "damaged")
    }

    /// A list of three levels whose parts are one part again and again claims a billion elements.
    func testOnePartManyTimes() throws {
        let bytes = FileBuilder.oneValue(type: 0, attributes: 32) { builder in
            var part = builder.node(flags: 0, count: 1000)
            var count = 1000
            for _ in 0..<2 {
                count *= 1000
                part = builder.references(
                    [FileBuilder.tagged(count / 1000)] + Array(repeating: part, count: 1000) + [
                        FileBuilder.tagged(count)
                    ],
                    flags: FileBuilder.inner)
            }
            return builder.references([part])
        }
        XCTAssertEqual(refusal(bytes)?.reasonName, "damaged")
    }

    func testMoreElementsThanFit() {
        // 16 million elements without space each.
        XCTAssertEqual(
            refusal(
                FileBuilder.oneValue(type: 0, attributes: 32) { builder in
                    let list = builder.node(flags: 0, count: 0xFF_FFFF)
                    return builder.references([list])
                })?.reasonName, "damaged")
        var builder = FileBuilder()
        let leaf = builder.node(flags: 0, count: 0xFF_FFFF)
        let root = builder.cluster(count: 0xFF_FFFF, [leaf])
        let table = builder.table([FileBuilder.Column(name: "n", type: 0)], root: root)
        XCTAssertEqual(refusal(builder.finish([("class_Many", table)]))?.reasonName, "damaged")
    }

    func testKeysOutOfOrderAndTwice() {
        for keys: [UInt64] in [[1, 0], [1, 1], [1 << 63, 1]] {
            var builder = FileBuilder()
            let array = builder.unsigned(keys)
            let leaf = builder.integers([1, 2])
            let root = builder.references([array, leaf])
            let table = builder.table([FileBuilder.Column(name: "n", type: 0)], root: root)
            XCTAssertEqual(refusal(builder.finish([("class_Keys", table)]))?.reasonName, "damaged")
        }
        let twice = FileBuilder.oneValue(type: 0, attributes: 64) { builder in
            let keys = builder.strings(["a", "a"])
            let values = builder.mixedIntegers([1, 2])
            let dictionary = builder.references([keys, values])
            return builder.references([dictionary])
        }
        XCTAssertEqual(refusal(twice)?.reasonName, "damaged")
    }

    func testValuesOfAnotherType() {
        let dictionary = FileBuilder.oneValue(type: 2, attributes: 64) { builder in
            let keys = builder.strings(["a"])
            let values = builder.mixedIntegers([1])
            let dictionary = builder.references([keys, values])
            return builder.references([dictionary])
        }
        XCTAssertEqual(refusal(dictionary)?.reasonName, "damaged")
        let strings = FileBuilder.oneValue(type: 0) { $0.strings(["a"]) }
        XCTAssertEqual(refusal(strings)?.reasonName, "damaged")
        let bools = FileBuilder.oneValue(type: 1) { $0.integers([3]) }
        XCTAssertEqual(refusal(bools)?.reasonName, "damaged")
        let many = FileBuilder.oneValue(type: 0) { $0.integers([1, 2]) }
        XCTAssertEqual(refusal(many)?.reasonName, "damaged")
    }

    /// A list whose elements are one long value, and a value whose pieces are one piece.
    func testOneValueManyTimes() {
        let strings = FileBuilder.oneValue(type: 2, attributes: 32) { builder in
            let value = builder.blob([UInt8](repeating: 0x61, count: 1 << 16))
            let leaf = builder.references(
                [Int64](repeating: value, count: 100_000), flags: FileBuilder.context)
            return builder.references([leaf])
        }
        XCTAssertEqual(refusal(strings)?.reasonName, "damaged")
        let pieces = FileBuilder.oneValue(type: 4) { builder in
            let piece = builder.blob([UInt8](repeating: 1, count: 1000))
            let value = builder.references(
                [Int64](repeating: piece, count: 10_000), flags: FileBuilder.context)
            return builder.references([value], flags: FileBuilder.context)
        }
        XCTAssertEqual(refusal(pieces)?.reasonName, "damaged")
    }

    /// Many tables which share one long list of columns.
    func testOneSetOfColumnsManyTimes() throws {
        var builder = FileBuilder()
        let root = builder.cluster(count: 0, [])
        let columns = (0..<1000).map { FileBuilder.Column(name: "c\($0)", type: 0) }
        var tables = [(name: "class_0", ref: builder.table(columns, root: root))]
        // The references of this table take 32 bits each.
        let first = Int(tables[0].ref) + 8
        let spec = builder.bytes[first..<first + 4].reversed().reduce(0) { $0 << 8 | Int64($1) }
        for index in 1..<1000 {
            let top = builder.references([spec, 0, root, FileBuilder.tagged(index)])
            tables.append((name: "class_\(index)", ref: top))
        }
        let bytes = builder.finish(tables)
        XCTAssertEqual(try RealmFile(bytes: bytes).table(forClass: "999")?.properties.count, 1000)
        XCTAssertEqual(refusal(bytes)?.reasonName, "damaged")
    }

    func testErrorsOfTheSink() throws {
        struct Full: Error {}
        let file = try RealmFile(bytes: FileBuilder.oneValue(type: 0) { $0.integers([1]) })
        XCTAssertThrowsError(try file.dump(name: "") { _ in throw Full() }) { XCTAssertTrue($0 is Full) }
        let table = try XCTUnwrap(file.table(forClass: "Thing"))
        XCTAssertThrowsError(try table.forEachObject { _ in throw Full() }) { XCTAssertTrue($0 is Full) }
    }
}
