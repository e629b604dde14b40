import Foundation
import XCTest

@testable import KivoAdoptTool
@testable import KivoSourceModel

/// The sources that the tools are tried on.
enum Fixture {
    static func url(_ path: String) -> URL {
        Bundle.module.resourceURL!.appendingPathComponent("Fixtures").appendingPathComponent(path)
    }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    static func source(_ path: String) throws -> SourceText { SourceText(path: path, try text(path)) }

    static func loader() throws -> SourceLoader {
        SourceLoader(ParserDump(compiler: try XCTUnwrap(ParserDump.installedCompiler())))
    }

    /// Returns what kivo-adopt makes of some sources, and what it leaves.
    static func adopt(
        _ sources: [SourceText], isolation: IsolationSettings = IsolationSettings()
    ) throws -> (texts: [String], left: [Diagnostic]) {
        var loader = try loader()
        loader.readsAll = true
        var loaded = loader.load(sources)
        for source in sources { loaded.isolation[source.path] = isolation }
        let adoption = Adoption(loaded)
        let results = adoption.run()
        return (results.map(\.text), adoption.leftOvers.sorted { $0.location < $1.location })
    }

    /// Returns what kivo-adopt makes of a source, and what it leaves with its lines: `3: 'didSet' of …`.
    static func adopt(
        _ text: String, isolation: IsolationSettings = IsolationSettings()
    ) throws -> (text: String, left: [String]) {
        let found = try adopt([SourceText(path: "A.swift", text)], isolation: isolation)
        return (found.texts[0], found.left.map { "\($0.location.line): \($0.message)" })
    }

    /// Returns what the compiler says of a program that imports Kivo, with further options, or nil if it compiles.
    static func problems(inSource source: String, options: [String] = []) throws -> String? {
        var folder = Bundle.module.bundleURL
        while !FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("Modules/Kivo.swiftmodule").path)
        {
            if folder.pathComponents.count <= 1 { throw XCTSkip("The modules of this build were not found.") }
            folder.deleteLastPathComponent()
        }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (file, log) = (scratch.appendingPathComponent("A.swift"), scratch.appendingPathComponent("log"))
        try Data(source.utf8).write(to: file)
        try Data().write(to: log)
        let process = Process()
        process.executableURL = try XCTUnwrap(ParserDump.installedCompiler())
        process.arguments =
            [
                "-typecheck", "-parse-as-library", "-swift-version", "6", "-suppress-warnings", "-I",
                folder.appendingPathComponent("Modules").path, file.path,
            ] + options
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : try String(contentsOf: log, encoding: .utf8)
    }
}
