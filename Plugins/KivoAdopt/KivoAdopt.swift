import Foundation
import PackagePlugin

/// `swift package kivo-adopt`: rewrites sources that use realm-swift or Cocoa's key-value observing for Kivo.
@main
struct KivoAdopt: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let modules = targets.compactMap { $0 as? any SourceModuleTarget }
        var options = extractor.remainingArguments + ["--package", context.package.directoryURL.path]
        options += ["--manifest", context.package.directoryURL.appending(path: "Package.swift").path]
        if let compiler = try? context.tool(named: "swiftc") { options += ["--compiler", compiler.url.path] }
        let kivo = context.package.dependencies.map(\.package).first { package in
            package.products.contains { $0.name == "KivoAdopt" }
        }
        if let kivo { options += ["--kivo", kivo.id] }
        // All at once: what one target declares another one uses.
        for module in modules {
            options += ["--module", module.name]
            options += kivoTargets(of: module).flatMap { ["--product", $0] }
            options += swiftFiles(of: module).flatMap { ["--source", $0] }
        }
        let known = Set(modules.map(\.id))
        var dependencies: [Target.ID: any SourceModuleTarget] = [:]
        let all = modules.flatMap(\.recursiveTargetDependencies).compactMap { $0 as? any SourceModuleTarget }
        for module in withoutKivo(all) where !known.contains(module.id) && module.kind == .generic {
            dependencies[module.id] = module
        }
        for module in dependencies.values.sorted(by: { $0.name < $1.name }) {
            options += swiftFiles(of: module).flatMap { ["--dependency", $0] }
        }
        let process = Process()
        process.executableURL = try context.tool(named: "KivoAdoptTool").url
        process.arguments = options
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    /// The targets of Kivo that a target can import.
    private func kivoTargets(of module: any SourceModuleTarget) -> [String] {
        let all = module.recursiveTargetDependencies.compactMap { $0 as? any SourceModuleTarget }
        let others = Set(withoutKivo(all).map(\.id))
        return all.filter { !others.contains($0.id) }.map(\.name)
    }

    private func swiftFiles(of module: any SourceModuleTarget) -> [String] {
        module.sourceFiles(withSuffix: "swift").map(\.url.path).sorted()
    }

    /// The targets without Kivo's own, which declare no models: those beside its core, on which each target that uses Kivo depends.
    private func withoutKivo(_ targets: [any SourceModuleTarget]) -> [any SourceModuleTarget] {
        let sources = targets.first { $0.name == "KivoObserving" }?.directoryURL.deletingLastPathComponent()
        return targets.filter { $0.directoryURL.deletingLastPathComponent() != sources }
    }
}
