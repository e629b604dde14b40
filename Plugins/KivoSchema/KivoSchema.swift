import Foundation
import PackagePlugin

/// `swift package kivo-schema`: draws the schema of a package's models, or says how two revisions of it differ.
@main
struct KivoSchema: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        var options = extractor.remainingArguments + ["--package", context.package.directoryURL.path]
        for module in targets.compactMap({ $0 as? any SourceModuleTarget })
        where names.count > 0 || module.kind != .test {
            options += ["--directory", module.directoryURL.path]
            let files = module.sourceFiles(withSuffix: "swift").map(\.url.path).sorted()
            options += files.flatMap { ["--source", $0] }
        }
        if let compiler = try? context.tool(named: "swiftc") { options += ["--compiler", compiler.url.path] }
        let process = Process()
        process.executableURL = try context.tool(named: "KivoSchemaTool").url
        process.arguments = options
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
}
