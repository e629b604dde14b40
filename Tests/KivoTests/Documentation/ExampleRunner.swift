import Foundation

/// Builds the programs of documentation pages into one executable, each as a module of its own, and runs them one by one.
final class ExampleRunner {
    private let runner: ProgramRunner
    private let programs: [DocumentedExamples.Program]
    private var executable: URL { runner.folder.appendingPathComponent("examples") }

    /// Compiles and links. What does not compile is thrown.
    init(_ programs: [DocumentedExamples.Program]) throws {
        runner = try ProgramRunner()
        self.programs = programs
        guard let products = ProgramRunner.products else {
            throw ProgramRunner.Failure(description: "There is nothing to link with.")
        }
        let modules = products.appendingPathComponent("Modules").path
        let options =
            ["-parse-as-library", "-swift-version", "6", "-I", modules, "-I", runner.folder.path]
            + runner.sanitizer
        var objects: [String] = []
        for (number, program) in programs.enumerated() {
            let source = program.source + "public func run() throws { try example() }\n"
            objects.append(try compile(source, as: "Example\(number)", options))
        }
        let main =
            programs.indices.map { "import Example\($0)" } + ["@main enum Examples {"]
            + ["    static func main() throws {", "        switch CommandLine.arguments[1] {"]
            + programs.indices.map { "        case \"\($0)\": try Example\($0).run()" }
            + ["        default: fatalError()", "        }", "    }", "}", ""]
        objects.append(try compile(main.joined(separator: "\n"), as: "Examples", options))
        let parts = try ["Kivo", "KivoEngine", "KivoJournal", "KivoLog", "KivoObserving", "KivoTesting"]
            .flatMap { module in
                try runner.objects(of: products.appendingPathComponent("\(module).build")).map(\.path)
            }
        try check(
            runner.launch(
                [runner.compiler, "-o", executable.path] + objects + parts + runner.sanitizer))
    }

    private func compile(_ source: String, as module: String, _ options: [String]) throws -> String {
        let path = { (suffix: String) in
            self.runner.folder.appendingPathComponent("\(module).\(suffix)").path
        }
        try Data(source.utf8).write(to: URL(fileURLWithPath: path("swift")))
        try check(
            runner.launch(
                [runner.compiler, "-c", "-module-name", module, "-emit-module", "-emit-module-path"]
                    + [path("swiftmodule"), "-o", path("o"), path("swift")] + options))
        return path("o")
    }

    private func check(_ result: (status: Int32, output: String)) throws {
        if result.status != 0 { throw ProgramRunner.Failure(description: result.output) }
    }

    /// Runs a program, with a home folder of its own, and returns how it ended and what it printed.
    func run(_ number: Int) throws -> (status: Int32, output: String) {
        let home = runner.folder.appendingPathComponent("home\(number)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = home.path
        environment["XDG_DATA_HOME"] = home.path
        environment["TMPDIR"] = home.path
        return try runner.launch([executable.path, "\(number)"], environment: environment)
    }
}
