import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// An import of a file into a file of Kivo, with the classes of the imported file or of another one.
package struct FileImport: Sendable {
    private let target: String
    private let models: String?
    private let module: String
    private let existing: RealmFileImport.ExistingObjects
    private let batch: Int?

    /// - Parameters:
    ///   - target: The path of the file of Kivo, which is created if it does not exist.
    ///   - models: The path of another file of Kivo, whose classes are used for those of the same names.
    ///   - module: The module of the classes in the program that will open the target.
    ///   - batch: The number of objects in one transaction; nil for all of them in one.
    package init(
        to target: String, models: String? = nil, module: String = "",
        existing: RealmFileImport.ExistingObjects = .error, batch: Int? = nil
    ) {
        self.target = target
        self.models = models
        self.module = module
        self.existing = existing
        self.batch = batch
    }

    func run(_ file: RealmFile, _ output: CommandOutput) throws {
        // Reading the schema first reports problems of the file before another file is created.
        let classes = FileClasses(try file.schema(), module: module)
        let models = try self.models.map { path in
            let url = URL(fileURLWithPath: path)
            // Opening a missing file would create it.
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw Realm.Error(.fileNotFound, "There is no file '\(path)'.", fileURL: url)
            }
            return try Realm(configuration: Realm.Configuration(fileURL: url, readOnly: true))
                .classDefinitions()
        }
        let url = URL(fileURLWithPath: target)
        // A failed import must not leave a partial new file.
        let isTemporary = batch == nil && !FileManager.default.fileExists(atPath: url.path)
        var isDone = false
        if isTemporary { output.isIncomplete(url.path, true) }
        do {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url))
            if let models { try realm.define(models) }
            try realm.define(classes.classes.map(\.definition))
            let options = RealmFileImport.Options(
                classes: .all, existingObjects: existing,
                transactions: batch.map { .batches(of: $0) } ?? .one)
            let report = try realm.importObjects(
                fromRealmFile: file, options: options,
                progress: { progress in
                    output.progress(progress.fractionCompleted)
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
        try rowClasses().map(ClassDefinition.init)
    }
}

/// The result of an import as JSON, for other programs.
struct ImportResult: Encodable {
    struct Class: Encodable {
        let name: String
        let inFile: Int
        let inserted: Int
        let overwritten: Int
        let kept: Int
        let leftOut: Int
    }

    struct Skipped: Encodable {
        let name: String
        let objects: Int
        let reason: String
    }

    struct Issue: Encodable {
        let className: String
        let objectKey: Int64
        let primaryKey: String?
        let property: String?
        let position: Int?
        let key: String?
        let value: String
        let reason: String
    }

    let classes: [Class]
    let skippedClasses: [Skipped]
    let unusedProperties: [String]
    let missingProperties: [String]
    let issues: [Issue]
    let issueCount: Int

    init(_ report: RealmFileImport.Report) {
        classes = report.classes.map {
            Class(
                name: $0.className, inFile: $0.inFile, inserted: $0.inserted, overwritten: $0.overwritten,
                kept: $0.kept, leftOut: $0.leftOut)
        }
        skippedClasses = report.skippedClasses.map {
            Skipped(name: $0.className, objects: $0.count, reason: $0.reason)
        }
        unusedProperties = report.unusedProperties.map(\.description)
        missingProperties = report.missingProperties.map(\.description)
        issues = report.issues.map {
            Issue(
                className: $0.className, objectKey: $0.objectKey, primaryKey: $0.primaryKey,
                property: $0.propertyName, position: $0.position, key: $0.key, value: $0.value,
                reason: "\($0.reason)")
        }
        issueCount = report.issueCount
    }
}
