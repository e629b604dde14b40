import Foundation
import KivoSourceModel

/// A tool that checks the model classes of a target and writes their list. The KivoModels plugin runs it.
@main
struct ModelsTool {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let result = run(options)
            for diagnostic in result.diagnostics { print(diagnostic.line) }
            try write(result.list, to: options.output)
            if result.diagnostics.contains(where: { $0.severity == .error }) { exit(1) }
        } catch {
            print("error: KivoModels: \(error)")
            exit(2)
        }
    }

    /// The options of the tool: the sources to read, and the output.
    struct Options {
        var output = ""
        var compiler: String?
        var cache: String?
        var sources: [String] = []
        var dependencies: [String] = []
        /// The package's manifest, and the target of the sources, whose settings it contains.
        var manifest: String?
        var target = ""

        init(_ arguments: [String]) throws {
            try ToolArguments.forEach(arguments) { argument, value in
                switch argument {
                case "--output": output = try value()
                case "--compiler": compiler = try value()
                case "--cache": cache = try value()
                case "--manifest": manifest = try value()
                case "--target": target = try value()
                case "--dependency": dependencies.append(try value())
                default: sources.append(argument)
                }
            }
            if output.isEmpty { throw ToolArguments.Misuse("'--output' is missing") }
        }
    }

    static func run(_ options: Options) -> (diagnostics: [Diagnostic], list: String) {
        guard let compiler = ParserDump.compiler(options.compiler) else {
            let location = SourceLocation(path: options.output, line: 1, column: 1)
            let text = "// No compiler was found to read the sources with.\n"
            return ([Diagnostic(.warning, location, "models are not checked: no 'swiftc' was found")], text)
        }
        let dump = ParserDump(compiler: compiler, cache: options.cache.map { URL(fileURLWithPath: $0) })
        var loaded = SourceLoader(dump).load(options.sources, dependencies: options.dependencies)
        let manifest = options.manifest.flatMap { PackageManifest(path: $0, dump) }
        if let settings = manifest?.isolation(ofTarget: options.target) {
            for path in options.sources { loaded.isolation[path] = settings }
        }
        let sources = (loaded.files + loaded.dependencies).map(\.source)
        dump.forgetOthers(than: sources + (manifest.map { [$0.source] } ?? []))
        let program = loaded.program
        var list = ModelList(program: program)
        let text = list.text()
        return (loaded.warnings + ModelChecks.diagnostics(of: program) + list.notes, text)
    }

    /// Writes a file unless it is unchanged: unchanged files are not compiled again.
    private static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if FileManager.default.contents(atPath: path) == data { return }
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
