/// The declarations of a target and of its dependencies, by name.
package final class Program {
    /// The target's own files.
    package let files: [SourceFile]
    /// All types by their qualified names, without extensions. A name has several types if `#if` branches, or targets, each
    /// declare one.
    package private(set) var types: [String: [TypeDeclaration]] = [:]
    private(set) var extensions: [String: [TypeDeclaration]] = [:]
    private var aliases: [String: AliasDeclaration] = [:]
    var models: [ObjectIdentifier: Model] = [:]
    private var own: Set<ObjectIdentifier> = []
    /// Whether properties in realm-swift's older forms count as properties of models.
    package let includesOlderForms: Bool
    /// The settings of the sources in targets with settings for isolation, by path.
    let isolationSettings: [String: IsolationSettings]

    /// - Parameters:
    ///   - files: the files of the target.
    ///   - dependencies: files of the target's dependencies, whose declarations its own files can name.
    ///   - includesOlderForms: whether `@objc dynamic` properties, and collections without a wrapper, are properties of models.
    ///   - isolation: the settings for isolation of the sources' targets, by path.
    package init(
        _ files: [SourceFile], dependencies: [SourceFile] = [], includesOlderForms: Bool = false,
        isolation: [String: IsolationSettings] = [:]
    ) {
        self.files = files
        self.includesOlderForms = includesOlderForms
        isolationSettings = isolation
        for file in files { own.formUnion(file.types.map(ObjectIdentifier.init)) }
        for file in files + dependencies {
            for type in file.types {
                if type.kind == .extension {
                    extensions[type.qualifiedName, default: []].append(type)
                } else {
                    types[type.qualifiedName, default: []].append(type)
                }
                for alias in type.aliases where !alias.isGeneric {
                    aliases[type.qualifiedName + "." + alias.name] = alias
                }
            }
            for alias in file.aliases where !alias.isGeneric { aliases[alias.name] = alias }
        }
    }

    /// Whether the target declares the type itself.
    package func isOwn(_ type: TypeDeclaration) -> Bool { own.contains(ObjectIdentifier(type)) }

    /// The meaning of a name in a type.
    package enum Meaning {
        case type(TypeDeclaration)
        /// Another type, written in a scope.
        case alias(TypeSyntax, scope: TypeDeclaration?)
    }

    /// Modules whose names can precede names of types that are declared elsewhere.
    static let modules: Set<String> = ["Kivo", "RealmSwift", "Swift", "Foundation"]

    private static let systemModules: Set<String> = ["Swift", "Foundation"]

    /// Returns the meaning of a path of names in a scope. Declarations in the innermost enclosing type, and inherited ones, come
    /// first.
    package func meaning(of path: [String], in scope: TypeDeclaration?) -> Meaning? {
        // `Foundation.Operation` is not a class `Operation` of these sources.
        if path.count > 1, Self.systemModules.contains(path[0]), types[path[0]] == nil { return nil }
        var scopes: [[String]] = []
        if let scope {
            for length in stride(from: scope.path.count, to: 0, by: -1) {
                let outer = Array(scope.path[..<length])
                scopes.append(outer)
                scopes += inheritedScopes(of: outer)
            }
        }
        scopes.append([])
        for outer in scopes {
            let name = (outer + path).joined(separator: ".")
            if let candidates = types[name] {
                // Declarations in the file itself have precedence, then those of the target.
                return .type(
                    candidates.first { $0.source === scope?.source } ?? candidates.first(where: isOwn)
                        ?? candidates[0])
            }
            if let alias = aliases[name], let type = alias.type {
                return .alias(type, scope: types[outer.joined(separator: ".")]?.first)
            }
            // `A.B` where `A` is an alias.
            if path.count > 1, let alias = aliases[(outer + [path[0]]).joined(separator: ".")]?.type?.path {
                return meaning(of: alias + path.dropFirst(), in: nil)
            }
        }
        if path.count > 1, !path[0].isEmpty, types[path[0]] == nil {
            // The first name may be the name of a module.
            return meaning(of: Array(path.dropFirst()), in: nil)
        }
        return nil
    }

    /// Returns the superclasses of a type, as scopes.
    private func inheritedScopes(of path: [String]) -> [[String]] {
        guard let type = types[path.joined(separator: ".")]?.first, type.kind == .class,
            let first = type.inherited.first?.path, first != path,
            let declaration = types[first.joined(separator: ".")]?.first,
            declaration !== type
        else { return [] }
        return [declaration.path]
    }

    /// Returns the type for which an alias stands, as far as it is known, and the scope in which that type is written.
    package func resolved(_ type: TypeSyntax, in scope: TypeDeclaration?) -> (TypeSyntax, TypeDeclaration?) {
        var type = type
        var scope = scope
        for _ in 0..<32 {
            guard case .named(let components) = type, components.allSatisfy({ $0.arguments.isEmpty }),
                case .alias(let target, let inner)? = meaning(of: components.map(\.name), in: scope)
            else { break }
            type = target
            scope = inner
        }
        return (type, scope)
    }

    /// Returns the declaration that a type names, after resolving aliases, or nil if it is not in these sources.
    package func declaration(of type: TypeSyntax, in scope: TypeDeclaration?) -> TypeDeclaration? {
        let (type, scope) = resolved(type, in: scope)
        guard let path = type.path, case .type(let declaration)? = meaning(of: path, in: scope) else {
            return nil
        }
        return declaration
    }

    /// Returns the last name of a type that is not in these sources: `Int`, `Object`.
    package func foreignName(of type: TypeSyntax, in scope: TypeDeclaration?) -> String? {
        let (type, scope) = resolved(type, in: scope)
        guard case .named(let components) = type, meaning(of: components.map(\.name), in: scope) == nil else {
            return nil
        }
        if components.count == 1 { return components[0].name }
        return components.count == 2 && Self.modules.contains(components[0].name) ? components[1].name : nil
    }
}
