import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// Brings a file into one of Kivo, by the file's classes or those of another.
struct FileImport {
    let arguments: RealmArguments

    init(_ arguments: RealmArguments) { self.arguments = arguments }

    func run(_ file: RealmFile, _ output: CommandOutput) throws {
        // What is wrong with the file is said before another is made.
        let classes = FileClasses(try file.schema(), module: arguments.module)
        let models = try arguments.models.map { path in
            let url = URL(fileURLWithPath: path)
            // Opening would make it.
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw Realm.Error(.fileNotFound, "There is no file '\(path)'.", fileURL: url)
            }
            return try Realm(configuration: Realm.Configuration(fileURL: url, readOnly: true))
                .classDefinitions()
        }
        let url = URL(fileURLWithPath: arguments.target)
        let isNew = !FileManager.default.fileExists(atPath: url.path)
        var isDone = false
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
            if output.isJSON {
                try output.write(json: ImportResult(report))
            } else {
                try output.write("\(report)\n")
            }
        } catch {
            // Nothing half done stays of what was not there.
            if isNew, !isDone, arguments.batch == nil { try? FileManager.default.removeItem(at: url) }
            throw error
        }
    }
}

extension Realm {
    /// The classes which the realm stores, to be stored elsewhere.
    fileprivate func classDefinitions() throws -> [ClassDefinition] {
        try storedClasses().map(ClassDefinition.init)
    }
}
