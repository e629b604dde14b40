import KivoSourceModel

/// A rewriter for sources that use realm-swift, or key-value observing of `NSObject` classes.
///
/// It leaves and lists code that it cannot rewrite so that it compiles and behaves as before.
final class Adoption {
    /// The result for one file.
    struct Result {
        var source: SourceText
        var text: String

        var isChanged: Bool { Array(text.utf8) != source.bytes }
    }

    let program: Program
    private let files: [SourceFile]
    private var edits: [ObjectIdentifier: SourceEdits] = [:]
    private(set) var leftOvers: Set<Diagnostic> = []
    /// The plans for the classes that are rewritten.
    private(set) var plans: [ObjectIdentifier: ClassPlan] = [:]
    /// The predicates whose formats were passed directly to the calls that used them.
    var unwrapped: Set<PlacedToken> = []
    /// Files that need an import of Kivo because of the inserted code.
    var needsKivo: Set<ObjectIdentifier> = []
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
        for file in files {
            rewriteImports(of: file)
            rewriteExpressions(of: file)
            listLeftOvers(of: file, isRealm: realmFiles.contains { $0 === file })
        }
        return files.map { file in
            Result(
                source: file.source,
                text: edits[ObjectIdentifier(file.source)]?.applied() ?? file.source.wholeText)
        }
    }

    func edit(_ source: SourceText, _ change: (inout SourceEdits) -> Void) {
        change(&edits[ObjectIdentifier(source), default: SourceEdits(source)])
    }

    func leave(_ source: SourceText, _ offset: Int, _ message: String) {
        leftOvers.insert(Diagnostic(.warning, source.location(of: offset), message))
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
    /// Rewrites `import RealmSwift` to `import Kivo`, and adds the import to files with new models.
    private func rewriteImports(of file: SourceFile) {
        let source = file.source
        let hasKivo = file.imports.contains { $0.path.first == "Kivo" }
        var importsKivo = hasKivo
        for declaration in file.imports {
            switch declaration.path.first {
            case "RealmSwift":
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
        for (index, token) in source.tokens.enumerated()
        where token.kind == .word && source.matches(index, "RealmSwift") && source.matches(index + 1, ".")
            && !file.imports.contains(where: { $0.range.contains(token.start) })
        {
            edit(source) { $0.replace(token.range, with: "Kivo") }
        }
        let needsKivo =
            file.types.contains { plans[ObjectIdentifier($0)]?.origin == .cocoa }
            || observersAdopted(in: file)
        guard needsKivo, !importsKivo else { return }
        if let last = file.imports.last {
            edit(source) { $0.insert("\nimport Kivo", at: last.range.upperBound) }
        } else {
            let offset = source.tokens.first?.start ?? 0
            edit(source) { $0.insert("import Kivo\n\n", at: offset) }
        }
    }
}
