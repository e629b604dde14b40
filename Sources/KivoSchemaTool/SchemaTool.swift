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
