import Foundation
import KivoSourceModel

/// A tool that rewrites sources for Kivo. The `kivo-adopt` plugin runs it.
@main
struct AdoptTool {
    static let usage = """
        USAGE: swift package --allow-writing-to-package-directory kivo-adopt [--target NAME]... [--dry-run]

        Rewrites the sources of a package's targets that use realm-swift, or classes derived from NSObject with '@objc dynamic'
        properties, for Kivo, and lists what it left for a person, with file and line.

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
        let adoption = Adoption(loader.load(options.sources, dependencies: options.dependencies))
        let changed = adoption.run().filter(\.isChanged)
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
        if !left.isEmpty {
            text += "\nLeft for you:\n"
            for diagnostic in left {
                text +=
                    "  \(shown(diagnostic.location.path)):\(diagnostic.location.line): \(diagnostic.message)\n"
            }
        }
        return text
    }
}

/// The options of the tool.
struct AdoptOptions {
    var isDryRun = false
    var isHelpWanted = false
    var compiler: String?
    var package = "."
    var sources: [String] = []
    /// Files of targets that are not rewritten, but declare types that the others use.
    var dependencies: [String] = []

    init(_ arguments: [String]) throws {
        try ToolArguments.forEach(arguments) { argument, value in
            switch argument {
            case "--dry-run": isDryRun = true
            case "--compiler": compiler = try value()
            case "--package": package = try value()
            case "--source": sources.append(try value())
            case "--dependency": dependencies.append(try value())
            case "--help", "-h": isHelpWanted = true
            default: throw ToolArguments.Misuse.unknown(argument)
            }
        }
    }
}
