import KivoSourceModel

extension Adoption {
    /// Rewrites `import RealmSwift` to `import Kivo`, and adds the import to files with new models. Files that use what only the
    /// product RealmSwift has keep their import.
    func rewriteImports(of file: SourceFile) {
        let source = file.source
        let isKept = file.imports.contains { $0.path == ["RealmSwift"] } && usesPredicates(file)
        let hasKivo = file.imports.contains { $0.path.first == "Kivo" }
        var importsKivo = hasKivo
        for declaration in file.imports {
            switch declaration.path.first {
            case "RealmSwift":
                if isKept { continue }
                if hasKivo && declaration.path.count == 1 {
                    edit(source) { $0.removeImport(declaration.range) }
                } else {
                    if declaration.path.count == 1, needsFoundation(file) {
                        let start = source.lineStart(of: declaration.range.lowerBound)
                        edit(source) { $0.insert("import Foundation\n", at: start) }
                    }
                    edit(source) { $0.replace(declaration.nameRange, with: "Kivo") }
                }
                importsKivo = true
            case "Realm":
                if usesObjectiveCLibrary(file) {
                    leave(
                        source, declaration.range.lowerBound,
                        "'import Realm' is of the Objective-C library: remove it, and its classes (RLM…)")
                } else {
                    edit(source) { $0.removeImport(declaration.range) }
                }
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

    /// Adds an import after the last one that is not in a branch of `#if`.
    private func addImport(of module: String, to file: SourceFile) {
        if file.imports.contains(where: { $0.path.first == module }) { return }
        let source = file.source
        guard let last = file.imports.last(where: { $0.conditions.isEmpty }) else {
            let offset = source.tokens.first?.start ?? 0
            return edit(source) { $0.insert("import \(module)\n\n", at: offset) }
        }
        let end = source.endOfComment(after: last.range.upperBound)
        edit(source) { $0.insert("\nimport \(module)", at: end) }
    }

    /// Whether a file names something of the Objective-C library, besides its import.
    private func usesObjectiveCLibrary(_ file: SourceFile) -> Bool {
        file.source.tokens.indices.contains { index in
            file.source.tokens[index].kind == .word && !isSettled(index, file.source)
                && isOfObjectiveCLibrary(index, file.source)
        }
    }

    /// The modules whose import is one of Foundation, too.
    private static let foundationModules: Set<String> = [
        "AppKit", "Cocoa", "Combine", "CoreData", "CoreLocation", "Foundation", "MapKit", "SwiftUI", "UIKit",
        "WatchKit", "XCTest",
    ]
    /// The types of Foundation that files use which import realm-swift alone: it exports Foundation.
    private static let foundationTypes: Set<String> = [
        "Bundle", "Calendar", "CGFloat", "CharacterSet", "Data", "Date", "DateComponents", "DateFormatter",
        "Decimal",
        "DispatchQueue", "FileManager", "IndexPath", "IndexSet", "JSONDecoder", "JSONEncoder", "Locale",
        "Measurement", "Notification", "NotificationCenter", "NumberFormatter", "Operation", "OperationQueue",
        "ProcessInfo", "Progress", "RunLoop", "Thread", "TimeInterval", "TimeZone", "Timer", "URL",
        "URLRequest",
        "URLSession", "UserDefaults", "UUID",
    ]

    /// Whether a file uses Foundation and imports it only by realm-swift.
    private func needsFoundation(_ file: SourceFile) -> Bool {
        if file.imports.contains(where: { Self.foundationModules.contains($0.path.first ?? "") }) {
            return false
        }
        let source = file.source
        return source.tokens.indices.contains { index in
            guard source.tokens[index].kind == .word, !source.matches(index - 1, ".") else { return false }
            let name = source.name(of: source.tokens[index])
            if program.types[name] != nil || isSettled(index, source) { return false }
            let isOfObjectiveC = name.hasPrefix("NS") && (name.dropFirst(2).first?.isUppercase ?? false)
            return isOfObjectiveC || Self.foundationTypes.contains(name)
        }
    }
}

extension SourceText {
    /// Returns the end of the line of an offset if only a comment follows in it, otherwise the offset itself.
    fileprivate func endOfComment(after offset: Int) -> Int {
        var end = offset
        while end < bytes.count, bytes[end] != 10, bytes[end] != 13 { end += 1 }
        return text(offset..<end).trimmed.hasPrefix("//") ? end : offset
    }
}
