import Foundation
import PackagePlugin

/// `swift package kivo-schema`: draws the schema of a package's models, or says how two revisions of it differ.
@main
struct KivoSchema: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let modules = targets.compactMap { $0 as? any SourceModuleTarget }
            .filter { !names.isEmpty || $0.kind != .test }
        var options = extractor.remainingArguments + ["--package", context.package.directoryURL.path]
        for module in modules { options += optionsNaming(module, "--source", "--directory") }
        // Base classes and enums of other targets.
        let known = Set(modules.map(\.id))
        var dependencies: [Target.ID: any SourceModuleTarget] = [:]
        let all = modules.flatMap(\.recursiveTargetDependencies).compactMap { $0 as? any SourceModuleTarget }
        for module in withoutKivo(all) where !known.contains(module.id) && module.kind == .generic {
            dependencies[module.id] = module
        }
        for module in dependencies.values.sorted(by: { $0.name < $1.name }) {
            options += optionsNaming(module, "--dependency", "--dependency-directory")
        }
        if let compiler = try? context.tool(named: "swiftc") { options += ["--compiler", compiler.url.path] }
        let process = Process()
        process.executableURL = try context.tool(named: "KivoSchemaTool").url
        process.arguments = options
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
    private func optionsNaming(
        _ module: any SourceModuleTarget, _ file: String, _ directory: String
    ) -> [String] {
        let files = module.sourceFiles(withSuffix: "swift").map(\.url.path).sorted()
        return [directory, module.directoryURL.path] + files.flatMap { [file, $0] }
    }

    /// The targets without Kivo's own, which declare no models: those beside its core, on which each target that uses Kivo depends.
    private func withoutKivo(_ targets: [any SourceModuleTarget]) -> [any SourceModuleTarget] {
        let sources = targets.first { $0.name == "KivoObserving" }?.directoryURL.deletingLastPathComponent()
        return targets.filter { $0.directoryURL.deletingLastPathComponent() != sources }
    }
}
