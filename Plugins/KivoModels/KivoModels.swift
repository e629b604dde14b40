import Foundation
import PackagePlugin

/// Checks a target's model classes while it is built, and writes `KivoModels.all`, the list of them.
@main
struct KivoModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let sources = swiftFiles(of: module)
        if sources.isEmpty { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "KivoModels.swift")
        var arguments = ["--output", output.path, "--cache", context.pluginWorkDirectoryURL.path]
        if let compiler = try? context.tool(named: "swiftc") {
            arguments += ["--compiler", compiler.url.path]
        }
        let manifest = context.package.directoryURL.appending(path: "Package.swift")
        arguments += ["--manifest", manifest.path, "--target", target.name]
        // What the models may name: enums, base classes and protocols of other targets.
        let dependencies = withoutKivo(
            target.recursiveTargetDependencies.compactMap { $0 as? any SourceModuleTarget }
        ).filter { $0.kind == .generic }.flatMap(swiftFiles)
        for file in dependencies { arguments += ["--dependency", file.path] }
        return [
            .buildCommand(
                displayName: "Checking the models of \(target.name)",
                executable: try context.tool(named: "KivoModelsTool").url,
                arguments: arguments + sources.map(\.path), inputFiles: sources + dependencies + [manifest],
                outputFiles: [output])
        ]
    }

    private func swiftFiles(of module: any SourceModuleTarget) -> [URL] {
        module.sourceFiles(withSuffix: "swift").map(\.url).sorted { $0.path < $1.path }
    }

    /// The targets without Kivo's own, which declare no models: those beside its core, on which each target that uses Kivo depends.
    private func withoutKivo(_ targets: [any SourceModuleTarget]) -> [any SourceModuleTarget] {
        let sources = targets.first { $0.name == "KivoObserving" }?.directoryURL.deletingLastPathComponent()
        return targets.filter { $0.directoryURL.deletingLastPathComponent() != sources }
    }
}
