import Foundation
import PackagePlugin

/// `swift package kivo-adopt`: rewrites sources that use realm-swift or Cocoa's key-value observing for Kivo.
@main
struct KivoAdopt: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "KivoAdoptTool").url
        let compiler = try? context.tool(named: "swiftc")
        // Targets are rewritten one by one: what is private to one may be called the same in another.
        for module in targets.compactMap({ $0 as? any SourceModuleTarget }) {
            let files = module.sourceFiles(withSuffix: "swift").map(\.url.path).sorted()
            if files.isEmpty { continue }
            var options = extractor.remainingArguments + ["--package", context.package.directoryURL.path]
            if let compiler { options += ["--compiler", compiler.url.path] }
            options += files.flatMap { ["--source", $0] }
            if targets.count > 1 { print("\(module.name):") }
            let process = Process()
            process.executableURL = tool
            process.arguments = options
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 { exit(process.terminationStatus) }
        }
    }
}
