import KivoSourceModel

extension Adoption {
    /// Rewrites the protocols of Objective-C to which rewritten classes conform: they become protocols for objects. Those with optional
    /// requirements are left for a person, because Swift has none.
    func rewriteProtocols() {
        let protocols = objectiveCProtocols()
        let names = Set(protocols.map(\.name))
        for type in protocols {
            let source = type.source
            guard let attribute = type.attributes.first(where: { $0.name == "objc" }) else { continue }
            let members = type.properties.map(\.attributes) + type.functions.map(\.attributes)
            if members.contains(where: { $0.contains { $0.name == "optional" } }) {
                leave(
                    source, attribute.range.lowerBound,
                    "'@objc' protocol '\(type.name)' has optional requirements, which need the Objective-C runtime: implement them in an extension"
                )
                continue
            }
            edit(source) { edits in
                for attribute in members.joined() + type.attributes where attribute.name == "objc" {
                    edits.removeWithBlanks(attribute.range)
                }
            }
            // Only objects conform to a protocol of Objective-C, so that values of it can be changed in constants, and held weakly.
            let inherited = type.inherited.compactMap { $0.path?.last }
            if inherited.contains(where: { names.contains($0) || Self.objectProtocols.contains($0) }) {
                continue
            }
            edit(source) { edits in
                if let first = type.inheritedRanges.first {
                    edits.insert("AnyObject, ", at: first.lowerBound)
                } else {
                    let name = source.tokens[source.tokenIndex(from: type.nameOffset)]
                    edits.insert(": AnyObject", at: name.end)
                }
            }
        }
    }

    private static let objectProtocols: Set = ["AnyObject", "class", "NSObjectProtocol"]

    /// Returns the protocols of Objective-C to which rewritten classes conform, by themselves, by extensions or by other protocols.
    private func objectiveCProtocols() -> [TypeDeclaration] {
        var declared: [String: TypeDeclaration] = [:]
        var extended: [String: [String]] = [:]
        for type in files.flatMap(\.types) {
            let inherited = type.inherited.compactMap { $0.path?.last }
            switch type.kind {
            case .protocol where type.attributes.contains { $0.name == "objc" }: declared[type.name] = type
            case .extension: extended[type.name, default: []] += inherited
            default: break
            }
        }
        var names = plans.values.flatMap { plan in
            plan.type.inherited.compactMap { $0.path?.last } + extended[plan.type.name, default: []]
        }
        var found: [TypeDeclaration] = []
        while let name = names.popLast() {
            guard let type = declared.removeValue(forKey: name) else { continue }
            found.append(type)
            names += type.inherited.compactMap { $0.path?.last }
        }
        return found
    }

    /// Lists the types of a file with declarations for Objective-C that stay, once each. Files that import what only Apple's platforms
    /// have are left out: they cannot be built elsewhere.
    func listObjectiveC(in file: SourceFile) {
        let listed = file.types.filter { listObservedExtension($0, in: file) }
        let isOfApple = file.imports.contains { Self.appleModules.contains($0.path.first ?? "") }
        if plans.isEmpty || isOfApple { return }
        for type in file.types
        where plans[ObjectIdentifier(type)] == nil && !listed.contains(where: { $0 === type })
            && !type.conditions.contains("canImport(ObjectiveC)")
        {
            let all = [type.attributes] + type.properties.map(\.attributes) + type.functions.map(\.attributes)
            let first = all.joined().filter { attribute in
                (attribute.name == "objc" || attribute.name == "objcMembers")
                    && !removes(attribute.range, of: file.source)
            }.map(\.range.lowerBound).min()
            guard let first else { continue }
            let location = file.source.location(of: first)
            if leftOvers.contains(where: { $0.location == location }) { continue }
            leave(
                file.source, first,
                "'@objc' in \(type.kind.rawValue) '\(type.name)' needs the Objective-C runtime: remove it if nothing of Objective-C uses it"
            )
        }
    }

    /// Lists the properties that an extension adds to a class of another module in order to observe them. Returns whether there are
    /// any.
    private func listObservedExtension(_ type: TypeDeclaration, in file: SourceFile) -> Bool {
        guard type.kind == .extension, program.types[type.qualifiedName] == nil else { return false }
        let observed = type.properties.filter { $0.attribute("dynamic") != nil && !$0.isStatic }
        guard let first = observed.first else { return false }
        let names = observed.map { "'\($0.name)'" }.joined(separator: ", ")
        leave(
            file.source, first.nameOffset,
            "\(names) of '\(type.qualifiedName)' cannot be observed outside of Apple's platforms: declare them '@Observed' in a class of your own"
        )
        return true
    }

    private static let appleModules: Set = ["UIKit", "AppKit", "Cocoa", "SwiftUI", "WatchKit", "TVUIKit"]
}
