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
    var importedModules: [ObjectIdentifier: String] = [:]
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
        let hasOwnUpdates = declaresUpdates()
        for file in files {
            let isRealm = isExported || realmFiles.contains { $0 === file }
            rewriteExpressions(of: file)
            if isRealm { rewriteUpdates(in: file, isOwn: hasOwnUpdates) }
            rewriteImports(of: file)
            listLeftOvers(of: file, isRealm: isRealm)
            listUsesOfFoundation(in: file)
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
