import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// An import of a file into a file of Kivo, with the classes of the imported file or of another one.
struct FileImport {
    let arguments: RealmArguments

    init(_ arguments: RealmArguments) { self.arguments = arguments }

    func run(_ file: RealmFile, _ output: CommandOutput) throws {
        // Reading the schema first reports problems of the file before another file is created.
        let classes = FileClasses(try file.schema(), module: arguments.module)
        let models = try arguments.models.map { path in
            let url = URL(fileURLWithPath: path)
            // Opening a missing file would create it.
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw Realm.Error(.fileNotFound, "There is no file '\(path)'.", fileURL: url)
            }
            return try Realm(configuration: Realm.Configuration(fileURL: url, readOnly: true))
                .classDefinitions()
        }
        let url = URL(fileURLWithPath: arguments.target)
        // A failed import must not leave a partial new file.
        let isTemporary = arguments.batch == nil && !FileManager.default.fileExists(atPath: url.path)
        var isDone = false
        if isTemporary { output.isIncomplete(url.path, true) }
        do {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url))
            if let models { try realm.define(models) }
            try realm.define(classes.classes.map(\.definition))
            let options = RealmFileImport.Options(
                classes: .all, existingObjects: arguments.existing,
                transactions: arguments.batch.map { .batches(of: $0) } ?? .one)
            let report = try realm.importObjects(
                fromRealmFile: file, options: options,
                progress: { progress in
                    let percent = Int(progress.fractionCompleted * 100)
                    output.progress("\(percent) % (\(progress.className))")
                })
            isDone = true
            output.isIncomplete(url.path, false)
            if output.isJSON {
                try output.write(json: ImportResult(report))
            } else {
                try output.write("\(report)\n")
            }
        } catch {
            if isTemporary, !isDone {
                try? FileManager.default.removeItem(at: url)
                output.isIncomplete(url.path, false)
            }
            throw error
        }
    }
}

extension Realm {
    /// Returns the classes that the realm stores, for storing them in another one.
    fileprivate func classDefinitions() throws -> [ClassDefinition] {
        try storedClasses().map(ClassDefinition.init)
    }
}
