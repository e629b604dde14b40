import Foundation
import KivoSchemaDrawing
import KivoSourceModel

/// A tool that draws the schema of a package's models, or shows the difference between two revisions of it. The `kivo-schema`
/// plugin runs it.
@main
struct SchemaTool {
    static let usage = """
        USAGE: swift package kivo-schema [--target NAME]... [--format text|json|mermaid|dot|svg] [--output FILE]
               swift package kivo-schema [--target NAME]... --from REVISION [--to REVISION] [--format text|json]

        Draws the schema that the package's model classes declare, or says what is different between two revisions of it and
        what a migration from one to the other has to do.

          --target NAME      only the models of this target; may be given several times
          --format FORMAT    text (the default), json, mermaid, dot or svg
          --output FILE      write into a file (plugins need --allow-writing-to-package-directory for one in the package)
          --from REVISION    a revision of the package's git repository, the older one
          --to REVISION      the newer one; without it the files as they are

        """

    static func main() {
        do {
            let options = try SchemaOptions(Array(CommandLine.arguments.dropFirst()))
            if options.isHelpWanted {
                print(usage, terminator: "")
                return
            }
            let (text, warnings) = try run(options)
            for warning in warnings { FileHandle.standardError.write(Data((warning.line + "\n").utf8)) }
            if let output = options.output {
                try Data(text.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
            } else {
                FileHandle.standardOutput.write(Data(text.utf8))
            }
        } catch {
            FileHandle.standardError.write(Data("error: kivo-schema: \(error)\n".utf8))
            exit(error is ToolArguments.Misuse ? 64 : 1)
        }
    }

    /// Returns the text to print.
    static func run(_ options: SchemaOptions) throws -> (text: String, warnings: [Diagnostic]) {
        guard let compiler = ParserDump.compiler(options.compiler) else {
            throw Revision.Failure(description: "no 'swiftc' was found to read the sources with")
        }
        let loader = SourceLoader(ParserDump(compiler: compiler))
        func schema(_ revision: String?) throws -> SourceSchema {
            guard let revision else {
                let loaded = loader.load(options.sources, dependencies: options.dependencies)
                return SourceSchema(loaded.program, warnings: loaded.warnings)
            }
            let package = URL(fileURLWithPath: options.package)
            let checkout = Revision(name: revision, package: package)
            let loaded = loader.load(
                try checkout.sources(in: options.directories),
                // The sources of other packages are not in the repository.
                dependencies: options.dependencyDirectories.flatMap {
                    (try? checkout.sources(in: [$0])) ?? []
                })
            return SourceSchema(loaded.program, warnings: loaded.warnings)
        }
        guard let from = options.from else {
            let only = try schema(options.to)
            return (only.outline.drawn(as: options.format), only.warnings)
        }
        let (old, new) = (try schema(from), try schema(options.to))
        let difference = SchemaDifference(from: old, to: new)
        let name = options.to ?? "the files as they are"
        let text =
            options.format == .json
            ? difference.json(from: from, to: name) : difference.text(from: from, to: name)
        return (text, old.warnings + new.warnings)
    }
}

/// The options of the tool.
struct SchemaOptions {
    var format = SchemaFormat.text
    var output: String?
    var from: String?
    var to: String?
    var compiler: String?
    var isHelpWanted = false
    /// The package's directory, the directories of the targets, and their files.
    var package = "."
    var directories: [String] = []
    var sources: [String] = []
    /// The directories and files of targets whose models are not drawn, but that declare types which the others use.
    var dependencyDirectories: [String] = []
    var dependencies: [String] = []

    init(_ arguments: [String]) throws {
        try ToolArguments.forEach(arguments) { argument, value in
            switch argument {
            case "--format":
                let name = try value()
                guard let format = SchemaFormat(rawValue: name) else {
                    let known = SchemaFormat.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ToolArguments.Misuse("'\(name)' is no format; there are \(known)")
                }
                self.format = format
            case "--output": output = try value()
            case "--from": from = try value()
            case "--to": to = try value()
            case "--compiler": compiler = try value()
            case "--package": package = try value()
            case "--directory": directories.append(try value())
            case "--source": sources.append(try value())
            case "--dependency-directory": dependencyDirectories.append(try value())
            case "--dependency": dependencies.append(try value())
            case "--help", "-h": isHelpWanted = true
            default: throw ToolArguments.Misuse.unknown(argument)
            }
        }
        if from != nil, format != .text, format != .json {
            throw ToolArguments.Misuse("a difference is printed as text or json, not as \(format.rawValue)")
        }
    }
}
