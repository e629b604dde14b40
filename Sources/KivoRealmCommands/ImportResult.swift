import KivoRealmImport

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
