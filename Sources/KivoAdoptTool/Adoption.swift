import KivoSourceModel

/// A rewriter for sources that use realm-swift, or key-value observing of `NSObject` classes.
///
/// It leaves and lists code that it cannot rewrite so that it compiles and behaves as before.
final class Adoption {
    /// The result for one file.
    struct Result {
        var source: SourceText
        var text: String
        /// The module of Kivo that the rewritten file imports.
        var module: String?

        var isChanged: Bool { Array(text.utf8) != source.bytes }
    }

    let program: Program
    let files: [SourceFile]
    private var edits: [ObjectIdentifier: SourceEdits] = [:]
    private(set) var leftOvers: Set<Diagnostic> = []
    /// The plans for the classes that are rewritten.
    private(set) var plans: [ObjectIdentifier: ClassPlan] = [:]
    /// The tokens that need no person: they were rewritten, or go on to mean what they meant.
    private var settled: Set<PlacedToken> = []
    /// Files that need an import of Kivo because of the inserted code.
    var needsKivo: Set<ObjectIdentifier> = []
    /// The module of Kivo that each file imports after rewriting.
    private var importedModules: [ObjectIdentifier: String] = [:]
    /// Properties that were boxes, by name: their `value` is now the property itself.
    private(set) var boxes: [String: [TypeDeclaration]] = [:]

    init(_ loaded: SourceLoader.Loaded) {
        program = loaded.olderProgram
        files = loaded.files
        leftOvers = Set(loaded.warnings)
    }

    /// Rewrites all files of the program.
    func run() -> [Result] {
        let realmFiles = files.filter {
            $0.imports.contains { ["RealmSwift", "Realm"].contains($0.path.first) }
        }
        for plan in ClassPlanner(program: program, files: files).plans() {
            leftOvers.formUnion(plan.leftOvers)
            guard plan.isAdopted else { continue }
            plans[ObjectIdentifier(plan.type)] = plan
            for property in plan.properties where property.isBox {
                boxes[property.declaration.name, default: []].append(plan.type)
            }
        }
        for plan in plans.values { apply(plan) }
        rewriteProtocols()
        let isExported = realmFiles.contains { file in
            file.imports.contains {
                $0.path.first == "RealmSwift"
                    && file.source.matches(file.source.tokenIndex(from: $0.range.lowerBound) - 1, "_exported")
            }
        }
        for file in files {
            rewriteExpressions(of: file)
            rewriteImports(of: file)
            listLeftOvers(of: file, isRealm: isExported || realmFiles.contains { $0 === file })
        }
        return files.map { file in
            Result(
                source: file.source,
                text: edits[ObjectIdentifier(file.source)]?.applied() ?? file.source.wholeText,
                module: importedModules[ObjectIdentifier(file.source)])
        }
    }

    func edit(_ source: SourceText, _ change: (inout SourceEdits) -> Void) {
        change(&edits[ObjectIdentifier(source), default: SourceEdits(source)])
    }

    /// Whether a part of a source is removed.
    func removes(_ range: Range<Int>, of source: SourceText) -> Bool {
        edits[ObjectIdentifier(source)]?.edits.contains {
            $0.text.isEmpty && $0.range.contains(range.lowerBound)
        } ?? false
    }

    func leave(_ source: SourceText, _ offset: Int, _ message: String) {
        leftOvers.insert(Diagnostic(.warning, source.location(of: offset), message))
    }

    func settle(_ token: Int, _ source: SourceText) {
        settled.insert(PlacedToken(source: ObjectIdentifier(source), index: token))
    }

    func isSettled(_ token: Int, _ source: SourceText) -> Bool {
        settled.contains(PlacedToken(source: ObjectIdentifier(source), index: token))
    }

    /// Whether a type is rewritten, or was a model before.
    func isModel(_ type: TypeDeclaration) -> Bool {
        plans[ObjectIdentifier(type)] != nil || program.model(of: type) != nil
    }
}

extension SourceText {
    var wholeText: String { text(0..<bytes.count) }
}

extension Adoption {
    /// Rewrites `import RealmSwift` to `import Kivo`, and adds the import to files with new models. Files that use what only the
    /// product RealmSwift has keep their import.
    private func rewriteImports(of file: SourceFile) {
        let source = file.source
        let isKept = file.imports.contains { $0.path == ["RealmSwift"] } && usesPredicates(file)
        let hasKivo = file.imports.contains { $0.path.first == "Kivo" }
        var importsKivo = hasKivo
        for declaration in file.imports {
            switch declaration.path.first {
            case "RealmSwift":
                if isKept { continue }
                if hasKivo && declaration.path.count == 1 {
                    edit(source) { $0.removeLines(declaration.range) }
                } else {
                    edit(source) { $0.replace(declaration.nameRange, with: "Kivo") }
                }
                importsKivo = true
            case "Realm":
                leave(
                    source, declaration.range.lowerBound,
                    "'import Realm' is of the Objective-C library: remove it, and its classes (RLM…)")
            default: break
            }
        }
        let id = ObjectIdentifier(source)
        if isKept { return importedModules[id] = "RealmSwift" }
        for (index, token) in source.tokens.enumerated()
        where token.kind == .word && source.matches(index, "RealmSwift") && source.matches(index + 1, ".")
            && !file.imports.contains(where: { $0.range.contains(token.start) })
        {
            edit(source) { $0.replace(token.range, with: "Kivo") }
        }
        let isObserving =
            file.types.contains { plans[ObjectIdentifier($0)]?.needsImport ?? false }
            || observersAdopted(in: file)
        if importsKivo {
            importedModules[id] = "Kivo"
        } else if needsKivo.contains(id) || isObserving {
            let module = needsKivo.contains(id) ? "Kivo" : "KivoObserving"
            importedModules[id] = module
            addImport(of: module, to: file)
        }
    }

    /// Whether a file keeps the import of the product that has what Kivo itself lacks.
    func keepsImport(_ file: SourceFile) -> Bool {
        importedModules[ObjectIdentifier(file.source)] == "RealmSwift"
    }

    private func addImport(of module: String, to file: SourceFile) {
        if file.imports.contains(where: { $0.path.first == module }) { return }
        let source = file.source
        if let last = file.imports.last {
            edit(source) { $0.insert("\nimport \(module)", at: last.range.upperBound) }
        } else {
            let offset = source.tokens.first?.start ?? 0
            edit(source) { $0.insert("import \(module)\n\n", at: offset) }
        }
    }
}
