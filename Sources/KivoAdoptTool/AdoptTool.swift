import Foundation
import KivoSourceModel

/// A tool that rewrites sources for Kivo. The `kivo-adopt` plugin runs it.
@main
struct AdoptTool {
    static let usage = """
        USAGE: swift package --allow-writing-to-package-directory kivo-adopt [--target NAME]... [--dry-run]

        Rewrites the sources of a package's targets that use realm-swift, or classes with '@objc dynamic' properties, for Kivo, and
        lists what it left for a person, with file and line.

          --target NAME  only this target; may be given several times
          --dry-run      print what would change, as a diff, and change nothing

        """

    static func main() {
        do {
            let options = try AdoptOptions(Array(CommandLine.arguments.dropFirst()))
            if options.isHelpWanted {
                print(usage, terminator: "")
                return
            }
            guard let compiler = ParserDump.compiler(options.compiler) else {
                throw ToolArguments.Misuse("no 'swiftc' was found to read the sources with")
            }
            print(try run(options, compiler), terminator: "")
        } catch {
            FileHandle.standardError.write(Data("error: kivo-adopt: \(error)\n".utf8))
            exit(error is ToolArguments.Misuse ? 64 : 1)
        }
    }

    /// Rewrites the sources in the options. Returns the text to print.
    static func run(_ options: AdoptOptions, _ compiler: URL) throws -> String {
        var loader = SourceLoader(ParserDump(compiler: compiler))
        loader.readsAll = true
        var loaded = loader.load(options.sources, dependencies: options.dependencies)
        if let manifest = options.manifest.flatMap({ PackageManifest(path: $0, loader.dump) }) {
            for module in options.modules {
                let settings = manifest.isolation(ofTarget: module.name)
                for path in module.sources { loaded.isolation[path] = settings }
            }
        }
        let adoption = Adoption(loaded)
        let results = adoption.run()
        let changed = results.filter(\.isChanged)
        func shown(_ path: String) -> String {
            let prefix = options.package.hasSuffix("/") ? options.package : options.package + "/"
            return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
        }
        var text = ""
        for result in changed {
            if options.isDryRun {
                text += UnifiedDiff.diff(
                    result.source.wholeText, result.text, path: shown(result.source.path))
            } else {
                try Data(result.text.utf8).write(
                    to: URL(fileURLWithPath: result.source.path), options: .atomic)
                text += "Rewrote \(shown(result.source.path))\n"
            }
        }
        if changed.isEmpty { text += "There is nothing to rewrite.\n" }
        let left = adoption.leftOvers.sorted { $0.location < $1.location }
        let lines =
            options.modules.flatMap { missingProducts(of: $0, options.kivo, results, left) }
            + left.map { "\(shown($0.location.path)):\($0.location.line): \($0.message)" }
        if !lines.isEmpty { text += "\nLeft for you:\n" + lines.map { "  \($0)\n" }.joined() }
        return text
    }

    /// Returns a line for each product of Kivo on which a target has to depend in order to compile.
    private static func missingProducts(
        of module: AdoptOptions.Module, _ package: String, _ results: [Adoption.Result], _ left: [Diagnostic]
    ) -> [String] {
        let sources = Set(module.sources)
        var used = Set(results.filter { sources.contains($0.source.path) }.compactMap(\.module))
        // Kivo contains it.
        if used.contains("Kivo") { used.remove("KivoObserving") }
        let isAdvised = left.contains {
            sources.contains($0.location.path) && $0.message.contains(Adoption.ofProduct)
        }
        let advised = isAdvised ? [("RealmSwift", " if its files are to import RealmSwift")] : []
        return (used.sorted().map { ($0, "") } + advised).filter { !module.products.contains($0.0) }
            .map { product, condition in
                "Package.swift: target '\(module.name)' has to depend on the product '\(product)'\(condition): "
                    + ".product(name: \"\(product)\", package: \"\(package)\")"
            }
    }
}

/// The options of the tool.
struct AdoptOptions {
    var isDryRun = false
    var isHelpWanted = false
    var compiler: String?
    var package = "."
    /// The package's manifest, which contains the settings of the targets.
    var manifest: String?
    /// The name of Kivo among the dependencies of the package.
    var kivo = "Kivo"
    var modules: [Module] = []
    /// Files of targets that are not rewritten, but declare types that the others use.
    var dependencies: [String] = []

    /// A target that is rewritten.
    struct Module {
        var name: String
        /// The targets of Kivo that it can import.
        var products: Set<String> = []
        var sources: [String] = []
    }

    var sources: [String] { modules.flatMap(\.sources) }

    init(_ arguments: [String]) throws {
        try ToolArguments.forEach(arguments) { argument, value in
            switch argument {
            case "--dry-run": isDryRun = true
            case "--compiler": compiler = try value()
            case "--package": package = try value()
            case "--manifest": manifest = try value()
            case "--kivo": kivo = try value()
            // The options after it belong to this target.
            case "--module": modules.append(Module(name: try value()))
            case "--product": try changeModule { $0.products.insert(try value()) }
            case "--source": try changeModule { $0.sources.append(try value()) }
            case "--dependency": dependencies.append(try value())
            case "--help", "-h": isHelpWanted = true
            default: throw ToolArguments.Misuse.unknown(argument)
            }
        }
        func changeModule(_ change: (inout Module) throws -> Void) throws {
            guard !modules.isEmpty else { throw ToolArguments.Misuse("'--module' is missing") }
            try change(&modules[modules.count - 1])
        }
    }
}
