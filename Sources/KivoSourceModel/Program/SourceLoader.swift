import Foundation

/// A loader of a target's sources. It reads the files that may concern models, and those that declare the types that these files
/// name.
package struct SourceLoader {
    package var dump: ParserDump

    /// Whether all files are read, instead of only those that may concern models.
    package var readsAll = false

    package init(_ dump: ParserDump) { self.dump = dump }

    package struct Loaded {
        /// The files of the target that were read.
        package var files: [SourceFile]
        package var dependencies: [SourceFile]
        /// A warning for each file that could not be read.
        package var warnings: [Diagnostic]
        /// The settings for isolation of the sources' targets, by path.
        package var isolation: [String: IsolationSettings] = [:]

        package var program: Program {
            Program(files, dependencies: dependencies, isolation: isolation)
        }

        /// The program with properties in realm-swift's older forms.
        package var olderProgram: Program {
            Program(
                files, dependencies: dependencies, includesOlderForms: true, isolation: isolation)
        }
    }

    /// The words of which every file that concerns models contains at least one.
    private static let words: [StaticString] = [
        "Persisted", "Object", "EmbeddedObject", "Projection", "PersistableEnum", "RealmEnum",
        "CustomPersistable",
        "FailableCustomPersistable", "byKeyPath", "keyPaths", "filter", "RealmOptional", "RealmProperty",
        "LinkingObjects", "KeyValueObservable", "KeyValueObservingCustomization", "Observed", "ObservedWeak",
        "forKeyPath",
        "forKey", "KeyValueObject", "KeyValueOperation",
    ]

    /// Reads the files at some paths.
    ///
    /// - Parameters:
    ///   - paths: the files of the target.
    ///   - dependencies: files of the target's dependencies.
    package func load(_ paths: [String], dependencies: [String] = []) -> Loaded {
        var warnings: [Diagnostic] = []
        func texts(_ paths: [String]) -> [SourceText] {
            paths.compactMap { path in
                guard let data = FileManager.default.contents(atPath: path) else {
                    warnings.append(Self.unread(path, "it cannot be opened"))
                    return nil
                }
                return SourceText(path: path, bytes: Array(data))
            }
        }
        let own = texts(paths)
        let loaded = load(own, dependencies: texts(dependencies))
        return Loaded(
            files: loaded.files, dependencies: loaded.dependencies, warnings: warnings + loaded.warnings)
    }

    package func load(_ sources: [SourceText], dependencies: [SourceText] = []) -> Loaded {
        var warnings: [Diagnostic] = []
        var read: [Int: SourceFile] = [:]
        let all = sources + dependencies
        let declared = all.map(Self.declaredNames)
        var wanted = Set(all.indices.filter { readsAll || Self.mayConcernModels(all[$0]) })
        var seen: Set<Int> = []
        while true {
            let next = wanted.subtracting(seen).sorted()
            if next.isEmpty { break }
            seen.formUnion(next)
            for (index, answer) in zip(next, dump.dumps(of: next.map { all[$0] })) {
                switch answer {
                case .tree(let node): read[index] = DeclarationReader.read(all[index], node)
                case .refused(let error):
                    warnings.append(Self.unread(all[index].path, "the parser does not accept it: \(error)"))
                case .failed(let reason): warnings.append(Self.unread(all[index].path, reason))
                }
            }
            // Types of the files' persisted properties and classes may be declared in files that did not seem relevant.
            let names = next.compactMap { read[$0] }.reduce(into: Set<String>()) {
                $0.formUnion(Self.names(in: $1))
            }
            for index in all.indices where !seen.contains(index) && !declared[index].isDisjoint(with: names) {
                wanted.insert(index)
            }
        }
        return Loaded(
            files: sources.indices.compactMap { read[$0] },
            dependencies: (sources.count..<all.count).compactMap { read[$0] }, warnings: warnings)
    }

    private static func unread(_ path: String, _ reason: String) -> Diagnostic {
        Diagnostic(
            .warning, SourceLocation(path: path, line: 1, column: 1),
            "models in this file are not checked, and not listed: \(reason)")
    }

    private static func mayConcernModels(_ source: SourceText) -> Bool {
        source.tokens.indices.contains { index in
            source.tokens[index].kind == .word && words.contains { source.matches(index, $0) }
        }
    }

    /// Returns the names of types that a file declares, extends, or defines as aliases.
    private static func declaredNames(_ source: SourceText) -> Set<String> {
        let keywords: [StaticString] = [
            "enum", "struct", "class", "protocol", "typealias", "extension", "actor",
        ]
        var names: Set<String> = []
        for index in source.tokens.indices.dropLast()
        where source.tokens[index].kind == .word && source.tokens[index + 1].kind == .word
            && keywords.contains(where: { source.matches(index, $0) })
        {
            names.insert(source.name(of: source.tokens[index + 1]))
        }
        return names
    }

    /// Returns the names of types that the models of a file require.
    private static func names(in file: SourceFile) -> Set<String> {
        var names: Set<String> = []
        func add(_ type: TypeSyntax?) {
            switch type {
            case .named(let components):
                for component in components {
                    names.insert(component.name)
                    component.arguments.forEach(add)
                }
            case .optional(let inner), .array(let inner), .metatype(let inner): add(inner)
            case .dictionary(let key, let value):
                add(key)
                add(value)
            case .tuple(let parts), .existential(let parts): parts.forEach(add)
            case .function, nil: break
            }
        }
        for type in file.types {
            type.inherited.forEach(add)
            type.aliases.forEach { add($0.type) }
            for property in type.properties
            where property.persisted != nil || property.isObserved {
                add(property.type)
                if case .member(let base?, _, _)? = property.value?.bare { names.formUnion(base.path ?? []) }
                if case .call(let call)? = property.value?.bare { names.formUnion(call.function.path ?? []) }
            }
            if type.properties.contains(where: { $0.persisted != nil }) { names.formUnion(type.path) }
        }
        file.aliases.forEach { add($0.type) }
        return names
    }
}
