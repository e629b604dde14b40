import Foundation
import XCTest

/// The page for Kivo's contributors names files and folders, which have to exist.
final class InternalsPageTests: XCTestCase {
    /// The modules whose rooms the page lists, in the order of the page.
    private static let modulesWithRooms = ["KivoEngine", "KivoObserving", "KivoJournal", "Kivo"]

    /// The paths of a folder and all files and folders below it, with a slash in front of each.
    private func paths(in folder: String) throws -> [String] {
        let url = PackageFolder.url.appendingPathComponent(folder)
        let below = try FileManager.default.subpathsOfDirectory(atPath: url.path)
        return ["/\(folder)"] + below.map { "/\(folder)/\($0)" }
    }

    /// Returns the parts of the page that are in code voice, outside of blocks.
    private func names(in page: URL) throws -> [String] {
        var isInBlock = false
        return try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n").flatMap { line in
            if line.hasPrefix("```") { isInBlock.toggle() }
            if isInBlock || line.hasPrefix("```") { return [String]() }
            return line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    func testFilesAndFoldersOfThePageAreThere() throws {
        let paths = try ["Sources", "Tests", ".ci"].flatMap(self.paths(in:)) + ["/Package.swift"]
        let pages = ["Internals", "TestingKivo"].map { PackageFolder.article($0) }
        let names = try pages.flatMap(self.names(in:)).filter { name in
            name.hasSuffix(".swift") && !name.contains(" ") || name.contains("/") && !name.contains(" ")
        }
        for name in names where !name.contains("…") {
            XCTAssertTrue(
                paths.contains { $0.hasSuffix("/" + name) }, "the page names '\(name)', which is not there")
        }
        XCTAssertGreaterThan(names.count, 80, "names are missing or were not found")
    }

    /// Returns the modules of the manifest without the tests, each with the modules of the package that it depends on.
    private func dependencies() throws -> [String: Set<String>] {
        let manifest = try String(
            contentsOf: PackageFolder.url.appendingPathComponent("Package.swift"), encoding: .utf8)
        let target =
            #/\.(?:executableT|t)arget\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?(,\s*path:)?/#
        var dependencies: [String: Set<String>] = [:]
        for match in manifest.matches(of: target) where match.output.3 == nil {
            let names = (match.output.2 ?? "").matches(of: #/"(\w+)"/#).map { String($0.output.1) }
            dependencies[String(match.output.1)] = Set(names)
        }
        return dependencies
    }

    /// The modules that the sources of a module import, without C libraries.
    private func imports(of module: String) throws -> Set<String> {
        let folder = PackageFolder.url.appendingPathComponent("Sources/\(module)")
        var imports: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            let source = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            for match in source.matches(of: #/(?m)^(?:[@\w]+ )*import (\w+)$/#) {
                imports.insert(String(match.output.1))
            }
        }
        return imports.subtracting([
            module,
            "Android", "Darwin", "FoundationEssentials", "Glibc", "Musl", "Synchronization", "WASILibc",
            "WinSDK",
        ])
    }

    func testModulesAndTheirImportsAreOnThePage() throws {
        let page = try String(contentsOf: PackageFolder.article("Internals"), encoding: .utf8)
        let lines = page.components(separatedBy: "\n")
        let head = try XCTUnwrap(lines.firstIndex { $0.hasPrefix("| Module |") })
        var columns: [String: Set<String>] = [:]
        for line in lines[(head + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.components(separatedBy: " | ")
            let names = cells[2].matches(of: #/\b[A-Z]\w+\b/#).map { String($0.output) }
            columns[cells[0].filter { $0.isLetter }] = Set(names)
        }
        let dependencies = try dependencies()
        XCTAssertGreaterThan(dependencies.count, 15, "modules of the manifest were not found")
        XCTAssertEqual(columns.keys.sorted(), dependencies.keys.sorted())
        for (module, names) in dependencies {
            let column = try XCTUnwrap(columns[module])
            XCTAssertEqual(column.intersection(dependencies.keys), names, "\(module) in the manifest")
            XCTAssertEqual(column, try imports(of: module), "what \(module) imports")
        }
    }

    func testEveryRoomIsOnThePage() throws {
        let page = PackageFolder.article("Internals")
        let names = Set(try names(in: page))
        for module in Self.modulesWithRooms {
            let folder = PackageFolder.url.appendingPathComponent("Sources/\(module)")
            for room in try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: [.isDirectoryKey])
            where try room.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                let name = room.lastPathComponent
                if name.hasSuffix(".docc") { continue }
                XCTAssertTrue(
                    names.contains { $0 == name || $0.hasPrefix(name + "/") },
                    "'\(module)/\(name)' is not on the page")
            }
        }
    }

    /// The first column of all tables with a certain second heading, by the number of the table: its rooms.
    private func rooms(_ lines: [String], secondHeading: String) -> [[String]] {
        var tables: [[String]] = []
        for (index, line) in lines.enumerated() where line.hasPrefix("| Room") {
            guard line.components(separatedBy: " | ")[1].hasPrefix(secondHeading) else { continue }
            let rows = lines[(index + 2)...].prefix { $0.hasPrefix("|") }
            tables.append(rows.map { $0.components(separatedBy: " | ")[0] })
        }
        return tables
    }

    func testThePageNamesTheTestsOfEveryRoom() throws {
        func lines(of article: String) throws -> [String] {
            try String(contentsOf: PackageFolder.article(article), encoding: .utf8).components(
                separatedBy: "\n")
        }
        let rooms = try rooms(lines(of: "Internals"), secondHeading: "Content")
        XCTAssertEqual(rooms.count, 4, "the engine, the core of observing, the journal and Kivo")
        XCTAssertEqual(rooms, try self.rooms(lines(of: "TestingKivo"), secondHeading: "Tests"))
    }

    /// The lines of a source without comments and string literals.
    private func code(_ source: String) -> [String] {
        var isInText = false
        return source.components(separatedBy: "\n").compactMap { line in
            let marks = line.components(separatedBy: "\"\"\"").count - 1
            if isInText || marks > 0 {
                isInText = isInText != (marks == 1)
                return nil
            }
            let parts = line.components(separatedBy: "\"")
            let code = parts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "_")
            return code.range(of: "//").map { String(code[..<$0.lowerBound]) } ?? code
        }
    }

    /// The name of the type that a line at the top of a file declares.
    private func declaredType(_ line: String) -> String? {
        guard line.first?.isWhitespace == false else { return nil }
        let words = line.split(separator: " ").prefix(6)
        let keywords: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        guard let keyword = words.firstIndex(where: { keywords.contains($0) }), keyword + 1 < words.endIndex
        else { return nil }
        let name = words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.first?.isUppercase == true ? String(name) : nil
    }

    /// The references of rooms to types of rooms that stand below them on the page, as `Module: Room to Room`. Only types whose names
    /// one room alone declares are looked for.
    private func references(upwardsIn module: String, _ order: [String]) throws -> Set<String> {
        var words: [String: Set<String>] = [:]
        var rooms: [String: Set<String>] = [:]
        for path in try paths(in: "Sources/\(module)") where path.hasSuffix(".swift") {
            let parts = path.split(separator: "/")
            guard parts.count > 3 else { continue }
            let room = String(parts[2])
            let source = try String(
                contentsOf: PackageFolder.url.appendingPathComponent(path), encoding: .utf8)
            for line in code(source) {
                if let type = declaredType(line) { rooms[type, default: []].insert(room) }
                for word in line.utf8.split(whereSeparator: { byte in
                    !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
                        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20)
                }) where word.first! < UInt8(ascii: "a") {
                    words[room, default: []].insert(String(Substring(word)))
                }
            }
        }
        var references: Set<String> = []
        for (room, words) in words {
            let position = try XCTUnwrap(order.firstIndex(of: room), "\(module)/\(room)")
            for word in words {
                guard let declaring = rooms[word], declaring.count == 1, let target = declaring.first,
                    try XCTUnwrap(order.firstIndex(of: target)) > position
                else { continue }
                references.insert("\(module): \(room) to \(target)")
            }
        }
        return references
    }

    func testRoomsReferToRoomsAboveThemExceptWhereThePageSaysSo() throws {
        let lines = try String(contentsOf: PackageFolder.article("Internals"), encoding: .utf8)
            .components(separatedBy: "\n")
        let head = try XCTUnwrap(lines.firstIndex { $0.hasPrefix("| Module | Room | Refers to |") })
        var exceptions: Set<String> = []
        for line in lines[(head + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.components(separatedBy: " | ").map { cell in
                cell.matches(of: #/`(\w+)`/#).map { String($0.output.1) }
            }
            for target in cells[2] { exceptions.insert("\(cells[0][0]): \(cells[1][0]) to \(target)") }
        }
        var found: Set<String> = []
        for (module, rooms) in zip(Self.modulesWithRooms, rooms(lines, secondHeading: "Content")) {
            // Rooms inside of a room count as one.
            var order: [String] = []
            for room in rooms {
                let name = room.matches(of: #/\w+/#).first.map { String($0.output) } ?? room
                if order.last != name { order.append(name) }
            }
            found.formUnion(try references(upwardsIn: module, order))
        }
        XCTAssertEqual(found.subtracting(exceptions).sorted(), [], "the page does not name these")
        XCTAssertEqual(exceptions.subtracting(found).sorted(), [], "these do not exist any more")
    }

    /// The sources of some modules, without the names of their files.
    private func sources(of modules: [String]) throws -> [String] {
        try modules.flatMap { try paths(in: "Sources/\($0)") }.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOf: PackageFolder.url.appendingPathComponent($0), encoding: .utf8)
        }
    }

    func testEveryTypeOfCheckpointsIsOnThePage() throws {
        let names = Set(try names(in: PackageFolder.article("Internals")))
        let declaration = #/(?:class|struct|enum|protocol|actor) (\w*Checkpoint\w*)/#
        let types = try sources(of: ["KivoLog", "KivoJournal", "Kivo"]).flatMap { source in
            source.matches(of: declaration).map { String($0.output.1) }
        }
        XCTAssertGreaterThan(types.count, 10)
        for type in types {
            XCTAssertTrue(
                names.contains { $0 == type || $0.hasSuffix("." + type) }, "'\(type)' is not on the page")
        }
    }

    func testTheStepsOfAnOpeningAreFunctions() throws {
        let page = try String(contentsOf: PackageFolder.article("Internals"), encoding: .utf8)
        let block = try XCTUnwrap(
            page.components(separatedBy: "```").first { $0.contains("StoreOpening.run ") })
        let steps = block.matches(of: #/[├└]─ (?:\w+\.)?(\w+)/#).map { String($0.output.1) }
        XCTAssertGreaterThan(steps.count, 12)
        let sources = try sources(of: ["KivoJournal", "Kivo"])
        for step in steps where step != "init" {
            XCTAssertTrue(sources.contains { $0.contains("func \(step)(") }, "'\(step)' is no function")
        }
    }

    /// The recipe for a scalar type, followed with the eyes of a search: each source that lists scalar types one by one is a step of
    /// the recipe. Two types that nothing treats specially stand for all of them: a list that has both would have to have a new one.
    func testTheRecipeOfScalarTypesNamesAllSourcesThatListThem() throws {
        let page = try String(contentsOf: PackageFolder.article("Internals"), encoding: .utf8)
        let start = try XCTUnwrap(page.range(of: "## Adding a property type"))
        let end = try XCTUnwrap(page.range(of: "## Adding a kind of collection"))
        let recipe = page[start.upperBound..<end.lowerBound]
        let steps = recipe.matches(of: #/`([\w\/+]+\.swift)`/#).map { "/" + $0.output.1 }
        let exceptions = [
            // Types of the other format, which a new type does not change.
            "Sources/KivoRealmFiles/", "Sources/KivoRealmCommands/Dump/", "KivoRealmImport/FileClasses.swift",
            // Public names that the table of scalar types refers to, and advice for types that cannot be stored.
            "/PropertyType.swift",
        ]
        var listing: [String] = []
        for path in try paths(in: "Sources") where path.hasSuffix(".swift") {
            if exceptions.contains(where: path.contains) { continue }
            let source = try String(
                contentsOf: PackageFolder.url.appendingPathComponent(path), encoding: .utf8)
            guard source.range(of: "decimal128", options: .caseInsensitive) != nil else { continue }
            let code = source.split(separator: "\n").filter { !$0.contains(#/^ *\/\//#) }.joined()
                .lowercased()
            if code.contains(#/\bobjectid\b/#), code.contains("decimal128") { listing.append(path) }
        }
        XCTAssertGreaterThan(listing.count, 10)
        for path in listing {
            XCTAssertTrue(
                steps.contains { path.hasSuffix($0) },
                "\(path) lists scalar types, and the recipe does not name it")
        }
    }
}
