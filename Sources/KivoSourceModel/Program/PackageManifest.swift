import Foundation

/// The settings of the targets in a package's manifest, as far as it writes them as literals and constants.
package struct PackageManifest {
    package let source: SourceText
    private var bindings: [String: Expression] = [:]
    private var targets: [String: [Expression]] = [:]
    /// Statements that change the settings of targets: `for target in package.targets { target.swiftSettings = … }`.
    private var changes: [Expression] = []

    /// Reads a manifest. Returns nil if there is no file at the path, or if it cannot be parsed.
    package init?(path: String, _ dump: ParserDump) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        source = SourceText(path: path, bytes: Array(data))
        guard let tree = dump.dumps(of: [source]).first?.tree else { return nil }
        let bodies = DeclarationReader.read(source, tree).bodies
        for binding in bodies.flatMap(\.bindings) { bindings[binding.name] = binding.value }
        for expression in bodies.flatMap(\.expressions) {
            var isChange = false
            expression.forEach { part in
                if case .member(_?, "swiftSettings", _) = part { isChange = true }
                guard case .call(let call) = part,
                    let name = call.arguments.first(where: { $0.label == "name" })?.value.literal,
                    let settings = call.arguments.first(where: { $0.label == "swiftSettings" })
                else { return }
                targets[name, default: []].append(settings.value)
            }
            if isChange { changes.append(expression) }
        }
    }

    /// Returns the isolation settings of a target.
    package func isolation(ofTarget name: String) -> IsolationSettings {
        var settings = IsolationSettings()
        for expression in targets[name, default: []] + changes { add(expression, to: &settings, depth: 0) }
        return settings
    }

    private func add(_ expression: Expression, to settings: inout IsolationSettings, depth: Int) {
        guard depth < 16 else { return }
        var strings: [String] = []
        expression.forEach { part in
            switch part {
            case .name(let name, _):
                if let value = bindings[name], !isPackage(value) {
                    add(value, to: &settings, depth: depth + 1)
                }
            case .string(let text, _): strings.append(text)
            case .call(let call):
                guard case .member(_, "defaultIsolation", _) = call.function.bare,
                    case .type(let type)? = call.arguments.first?.value.bare, type.path?.last == "MainActor"
                else { return }
                settings.setMainActorByDefault()
            default: break
            }
        }
        if strings.contains("InferIsolatedConformances") { settings.infersConformances = true }
        for (flag, value) in zip(strings, strings.dropFirst())
        where flag == "-default-isolation" && value == "MainActor" {
            settings.setMainActorByDefault()
        }
    }

    /// Whether an expression has the settings of all targets.
    private func isPackage(_ expression: Expression) -> Bool {
        if case .call(let call) = expression.bare { call.function.path == ["Package"] } else { false }
    }
}
