import Foundation
import Kivo
import KivoRealmCommands
import KivoRealmFiles
import KivoRealmImport
import TestRandomness
import XCTest

/// The classes that `kivo realm models` writes.
final class SwiftModelsTests: ImportTestCase {
    /// The files whose classes are compiled with these tests, and these.
    private static let compiled: [(name: String, types: [ObjectBase.Type])] = [
        ("embedded-1", [Embedded1.Order.self]), ("links-1", [Links1.Person.self]),
        ("scalars-optional-1", [ScalarsOptional1.All.self]), ("dictionaries-1", [Dictionaries1.CollD.self]),
        ("mixed-nested-1", [MixedNested1.`Any`.self, MixedNested1.Target.self]),
        ("indexes-1", [Indexes1.Idx.self]),
    ]

    private func source(_ name: String) throws -> String {
        SwiftModels.source(try ImportFixtures.file(name).schema())
    }

    /// The classes of a file within another type, so that classes of several files can have one name.
    private func nested(_ name: String) throws -> String {
        let type = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let classes = try source(name).split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3)
            .dropLast().map { $0.isEmpty ? "" : "    " + $0 }
        return "// swift-format-ignore-file\nimport Foundation\nimport Kivo\n\nenum \(type) {\n"
            + classes.joined(separator: "\n") + "\n}\n"
    }

    func testTheClassesOfTheseTestsAreThose() throws {
        for (name, _) in Self.compiled {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Models/\(name).swift")
            let source = try nested(name)
            if ProcessInfo.processInfo.environment["KIVO_WRITE_MODELS"] == "1" {
                try source.write(to: file, atomically: true, encoding: .utf8)
            }
            XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), source, name)
        }
    }

    func testFilesComeInByTheirClasses() throws {
        for (name, types) in Self.compiled {
            let realm = try makeRealm(name, nil)
            let file = try ImportFixtures.file(name)
            let report = try realm.importObjects(fromRealmFile: file, options: .init(classes: .types(types)))
            XCTAssertEqual(report.issueCount, 0, "\(name): \(report)")
            XCTAssertEqual(report.unusedProperties, [], name)
            XCTAssertEqual(report.missingProperties, [], name)
            XCTAssertEqual(report.skippedClasses, [], name)
            XCTAssertEqual(report.insertedCount, try file.schema().classes.reduce(0) { $0 + $1.count }, name)
        }
    }

    /// A file that was imported without classes opens with the classes that are written for it.
    func testTheClassesOpenWhatCameWithoutThem() throws {
        for (name, types) in Self.compiled {
            let url = folder.appendingPathComponent(name + ".kivo")
            let file = try ImportFixtures.file(name)
            func fill() throws {
                let realm = try Realm(configuration: Realm.Configuration(fileURL: url))
                try realm.storeClasses(of: file)
                try realm.importObjects(fromRealmFile: file, options: .init(classes: .all))
            }
            try fill()
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url))
            // Throws if a class differs from its table.
            for stored in try realm.rowClasses(types) {
                XCTAssertEqual(
                    stored.count, try file.table(forClass: stored.name)?.count, "\(name) \(stored.name)")
            }
        }
    }

    func testAllFilesHaveClassesThatCompile() throws {
        var source = "import Foundation\nimport Kivo\n"
        var count = 0
        for name in TestEffort.sample(try ImportFixtures.names(), 12) {
            guard let file = try? ImportFixtures.file(name), let schema = try? file.schema() else { continue }
            count += 1
            let classes = SwiftModels.source(schema).split(separator: "\n", omittingEmptySubsequences: false)
            XCTAssertEqual(classes.prefix(2), ["import Foundation", "import Kivo"])
            source += "enum File\(count) {\n" + classes.dropFirst(2).joined(separator: "\n") + "}\n"
        }
        XCTAssertGreaterThan(count, TestEffort.expected(60))
        try typecheck(source)
    }

    func testNamesThatSwiftDoesNotAllow() throws {
        let source = try source("mapped-names-1")
        XCTAssert(source.contains("class `Class.With.Dots`: Object {\n    @Persisted var x_y: Int\n"), source)
        XCTAssert(source.contains("[\"x_y\": \"x y\"]"), source)
        XCTAssert(source.contains("class Ümläut: Object {\n    @Persisted var value_: Bool\n"), source)
        XCTAssert(source.contains("[\"value_\": \"✓\"]"), source)
    }

    private func typecheck(_ source: String) throws {
        let file = folder.appendingPathComponent("Models.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let log = folder.appendingPathComponent("compiler.log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            ProcessInfo.processInfo.environment["SWIFT_EXEC"] ?? "swiftc", "-typecheck", "-swift-version",
            "6",
            "-warnings-as-errors", "-parse-as-library", "-I", try modulesFolder().path, file.path,
        ]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        try output.close()
        // The shell's way to say that there is no such program.
        if process.terminationStatus == 127 { throw XCTSkip("No Swift compiler was found.") }
        let said = try String(contentsOf: log, encoding: .utf8)
        XCTAssertEqual(process.terminationStatus, 0, said)
    }

    /// The folder with the modules that this test was built with: beside the test bundle or above it.
    private func modulesFolder() throws -> URL {
        for start in [
            URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL,
            Bundle(for: SwiftModelsTests.self).bundleURL,
        ] {
            var folder = start.standardizedFileURL
            while folder.pathComponents.count > 1 {
                let modules = folder.appendingPathComponent("Modules")
                let module = modules.appendingPathComponent("Kivo.swiftmodule")
                if FileManager.default.fileExists(atPath: module.path) { return modules }
                folder.deleteLastPathComponent()
            }
        }
        throw XCTSkip("The modules of this build were not found, so nothing was compiled.")
    }
}
