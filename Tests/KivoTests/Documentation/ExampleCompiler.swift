import Foundation
import XCTest

/// Type-checks single files with the compiler of the environment.
final class ExampleCompiler {
    /// A folder for files that go when this does.
    let folder: URL
    private let modules: URL
    private let compiler: String

    /// Finds the compiler: `SWIFT_EXEC`, or `swiftc` on the search path. Skips the test if there is none.
    init(modules: URL) throws {
        self.modules = modules
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-examples-\(UUID().uuidString)", isDirectory: true)
        compiler = ProcessInfo.processInfo.environment["SWIFT_EXEC"] ?? "swiftc"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard try run(["--version"]).status == 0 else {
            throw XCTSkip("No Swift compiler '\(compiler)' was found, so nothing was compiled.")
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns the compiler's messages about a program, or nil if there are none.
    func problems(in program: DocumentedExamples.Program, options: [String] = []) throws -> String? {
        try problems(inSource: program.source, options: options)
    }

    /// Returns the compiler's messages about the text of a file, in a language mode, or nil if there are none. The compiler
    /// finds errors about sent values only after it has checked types.
    func problems(
        inSource source: String, mode: String = "6", options: [String] = [], checksSending: Bool = false,
        warningsFail: Bool = false
    ) throws -> String? {
        let file = folder.appendingPathComponent("Example.swift")
        try Data(source.utf8).write(to: file)
        let product = folder.appendingPathComponent("Example.sil").path
        let result = try run(
            (checksSending ? ["-emit-sil", "-o", product] : ["-typecheck"])
                + (warningsFail ? ["-warnings-as-errors"] : []) + options
                + ["-parse-as-library", "-swift-version", mode, "-I", modules.path, file.path])
        return result.status == 0 ? nil : result.output
    }

    /// Returns the compiler's messages about the sources of a module of this package, or nil if there are none. Then the module
    /// is in ``folder``, for modules that import it.
    func problems(inModule name: String, _ sources: [URL]) throws -> String? {
        let module = folder.appendingPathComponent("\(name).swiftmodule").path
        // The bodies of functions are not checked while a module is written.
        for action in [["-typecheck"], ["-emit-module", "-emit-module-path", module]] {
            let result = try run(
                action + [
                    "-wmo", "-module-name", name, "-package-name",
                    // As the package manager makes it of the name of a folder.
                    String(
                        PackageFolder.url.lastPathComponent.lowercased().map {
                            $0.isLetter || $0.isNumber ? $0 : "_"
                        }),
                ]
                    + ["-parse-as-library", "-swift-version", "6", "-I", folder.path, "-I", modules.path]
                    + sources.map(\.path))
            if result.status != 0 { return result.output }
        }
        return nil
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let log = folder.appendingPathComponent("compiler.log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [compiler] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        try output.close()
        return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
    }
}
