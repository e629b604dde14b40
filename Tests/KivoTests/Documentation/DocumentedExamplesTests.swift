import Foundation
import TestRandomness
import XCTest

/// Every Swift example of the README and of the documentation catalogs compiles against the modules of this build.
/// `.ci/apple-double` compiles those of `KivoSwiftUI`.
final class DocumentedExamplesTests: XCTestCase {
    private func pages() throws -> [URL] {
        var pages = [PackageFolder.url.appendingPathComponent("README.md")]
        for target in ["Kivo", "KivoEtcd", "KivoLog", "KivoObserving", "KivoRealmImport", "KivoTesting"] {
            let catalog = PackageFolder.url.appendingPathComponent("Sources/\(target)/\(target).docc")
            let files = try FileManager.default.contentsOfDirectory(
                at: catalog, includingPropertiesForKeys: nil)
            pages += files.filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
        }
        return pages
    }

    /// The options of modules whose declarations belong to no actor by default, and to the main actor.
    private var isolations: [[String]] {
        #if compiler(>=6.2)
        [[], ["-default-isolation", "MainActor"]]
        #else
        [[]]
        #endif
    }

    func testEveryExampleCompiles() throws {
        let modules = try Self.modulesFolder()
        let compiler = try ExampleCompiler(modules: modules)
        let examples = try pages().map { try DocumentedExamples(page: $0) }
        let programs = examples.flatMap(\.programs)
        let compiled = TestEffort.sample(programs, 6)
        for options in isolations {
            for program in compiled {
                if let problems = try compiler.problems(in: program, options: options) {
                    XCTFail(
                        "\(program.name) does not compile with \(options):\n\(problems)\n\(program.source)")
                }
            }
        }
        print(
            "\(compiled.count) of \(programs.count) programs of the pages, with \(examples.flatMap(\.blocks).count)",
            "blocks in all, were compiled in \(isolations.count) modes")
        XCTAssertGreaterThanOrEqual(programs.count, 8, "examples are missing or were not found")
    }

    /// Programs that have statements run to their end, and print what the page says that they print.
    func testExamplesRunAndPrintWhatThePagesSay() throws {
        if !ProgramRunner.isAvailable { throw XCTSkip("There is nothing to link with.") }
        // The runner links neither of these.
        let all = try pages().filter { page in
            !["KivoEtcd", "KivoRealmImport"].contains { page.path.contains("/Sources/\($0)/") }
        }.flatMap { try DocumentedExamples(page: $0).programs }
        let running = all.filter(\.runs)
        XCTAssertGreaterThan(running.count, 15)
        XCTAssertGreaterThan(running.filter { $0.output != nil }.count, 4)
        let programs = TestEffort.sample(running, 3)
        let runner = try ExampleRunner(programs)
        for (number, program) in programs.enumerated() {
            let (status, output) = try runner.run(number)
            XCTAssertEqual(status, 0, "\(program.name) ended so:\n\(output)")
            if let expected = program.output {
                XCTAssertEqual(
                    output, expected.joined(separator: "\n") + "\n", "\(program.name) printed something else")
            }
        }
    }

    func testFaultyExampleIsFound() throws {
        let compiler = try ExampleCompiler(modules: Self.modulesFolder())
        let page = compiler.folder.appendingPathComponent("Faulty.md")
        try Data("```swift\nimport Kivo\nlet realm = Realm.nowhere\n```\n".utf8).write(to: page)
        let programs = try DocumentedExamples(page: page).programs
        XCTAssertEqual(programs.count, 1)
        let problems = try XCTUnwrap(compiler.problems(in: programs[0]))
        XCTAssertTrue(problems.contains("nowhere"), problems)
    }

    /// A condition that is a block is refused when it is compiled, with what to write instead.
    func testFilteringByABlockIsRefused() throws {
        let compiler = try ExampleCompiler(modules: Self.modulesFolder())
        let page = compiler.folder.appendingPathComponent("Block.md")
        let lines = [
            "```swift", "import Foundation", "import Kivo", "class Cat: Object { @Persisted var age = 0 }",
            "func old(_ cats: Results<Cat>) -> Results<Cat> {",
            "    cats.filter(NSPredicate(block: { cat, _ in (cat as? Cat)?.age == 5 }))", "}", "```", "",
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: page)
        let problems = try XCTUnwrap(
            compiler.problems(in: try XCTUnwrap(DocumentedExamples(page: page).programs.first)))
        XCTAssertTrue(problems.contains("is unavailable: write the condition as 'where {"), problems)
        XCTAssertEqual(problems.components(separatedBy: "Example.swift:").count, 2, problems)
    }

    /// Code that would use a realm on two actors at once fails to compile; other code compiles unchanged.
    func testUnsafeUsesOfActorsAreRefused() throws {
        let compiler = try ExampleCompiler(modules: Self.modulesFolder())
        let frame = [
            "import Kivo", "class Cat: Object { @Persisted var age = 0 }",
            "actor Keeper { var ages: [Int] = []; func keep(_ cats: Results<Cat>) { ages = cats.map(\\.age) } }",
        ]
        let safe = [
            "func f(_ keeper: Keeper) async throws {", "    let realm = try await Realm()",
            "    let token = await realm.objects(Cat.self).observe(on: keeper) { keeper, change in",
            "        if case .initial(let cats) = change { keeper.keep(cats) }", "    }",
            "    try await realm.asyncWrite { _ = realm.create(Cat.self) }", "    token.invalidate()", "}",
        ]
        for mode in ["5", "6"] {
            let source = (frame + ["@MainActor"] + safe).joined(separator: "\n")
            XCTAssertNil(
                try compiler.problems(
                    inSource: source, mode: mode, checksSending: true, warningsFail: true))
        }
        let refused: [(lines: [String], reason: String)] = [
            (["func f() async throws { _ = try await Realm.open() }"], "nil"),
            (
                ["@MainActor func f(_ keeper: Keeper) async throws {", "    let realm = try await Realm()"]
                    + ["    let cats = realm.objects(Cat.self)", "    await keeper.keep(cats)"]
                    + ["    print(cats.count)", "}"], "data races"
            ),
            (
                ["@MainActor func f(_ keeper: Keeper) async throws {", "    let realm = try await Realm()"]
                    + ["    var kept: [Results<Cat>] = []"]
                    + ["    let token = await realm.objects(Cat.self).observe(on: keeper) { _, change in"]
                    + ["        if case .initial(let cats) = change { kept.append(cats) }", "    }"]
                    + ["    print(kept.count, token)", "}"], "kept"
            ),
        ]
        for (lines, reason) in refused {
            let source = (frame + lines).joined(separator: "\n")
            let problems = try XCTUnwrap(
                compiler.problems(inSource: source, checksSending: true), source)
            XCTAssertTrue(problems.contains("error:") && problems.contains(reason), problems)
        }
    }

    func testReadmeShowsTheExampleThatRuns() throws {
        let readme = try DocumentedExamples(page: PackageFolder.url.appendingPathComponent("README.md"))
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("ReadmeExampleTests.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let begin = try XCTUnwrap(lines.firstIndex { $0.hasSuffix("// The README begins.") })
        let end = try XCTUnwrap(lines.firstIndex { $0.hasSuffix("// The README ends.") })
        let indentation = lines[begin].prefix { $0 == " " }.count
        let running = lines[begin + 1..<end].map { String($0.dropFirst(indentation)) }
        XCTAssertEqual(readme.blocks.first, "import Kivo\n\n" + running.joined(separator: "\n") + "\n")
    }

    /// The folder with the modules that this test was built with: beside the test bundle or above it.
    static func modulesFolder() throws -> URL {
        let starts = [
            URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL,
            Bundle(for: DocumentedExamplesTests.self).bundleURL,
        ]
        for start in starts {
            var folder = start.standardizedFileURL
            while folder.pathComponents.count > 1 {
                let modules = folder.appendingPathComponent("Modules")
                let module = modules.appendingPathComponent("Kivo.swiftmodule")
                if FileManager.default.fileExists(atPath: module.path) { return modules }
                folder.deleteLastPathComponent()
            }
        }
        throw XCTSkip("The modules of this build were not found, so no documented example was compiled.")
    }
}
