import Kivo
import KivoEngine
import KivoRealmFiles

extension Importer {
    /// Notes a value or object that could not be imported.
    func note(
        _ reason: RealmFileImport.Reason, _ object: RealmFile.Object, _ plan: ClassPlan,
        _ property: PropertyPlan?, _ value: String, at element: ElementPosition = .none
    ) {
        report.issueCount += 1
        guard report.issues.count < options.issueLimit else { return }
        report.issues.append(
            RealmFileImport.Report.Issue(
                className: plan.target.name, objectKey: object.key, primaryKey: primaryKeyText(of: object),
                propertyName: property?.target.name, position: element.position, key: element.key,
                value: value,
                reason: reason))
    }

    /// Returns the primary key of an object in the file, as text.
    func primaryKeyText(of object: RealmFile.Object) -> String? {
        guard let property = object.table.primaryKey else { return nil }
        return (try? object.value(of: property))?.summary
    }

    /// Returns the cell of a value that the conversion closure returns for an unfit value, or nil if it leaves the value out.
    /// Throws if the converted value does not fit either.
    func convertedCell(
        _ value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ object: RealmFile.Object,
        _ property: PropertyPlan, _ plan: ClassPlan, at element: ElementPosition = .none
    ) throws -> Cell? {
        guard let other = try converted(value, reason, object, property, plan, at: element) else {
            return nil
        }
        if let cell = RowWriter.cell(of: other, property.target) { return cell }
        throw Realm.Error(
            .invalidInput,
            """
            The block that converts values made '\(other)' of one of '\(plan.target.name).\(property.target.name)', which is of \
            type \(property.target.typeDescription).
            """, fileURL: realm.configuration.fileURL)
    }

    /// Returns the conversion closure's value for an unfit value, or nil if it leaves the value out.
    func converted(
        _ value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ object: RealmFile.Object,
        _ property: PropertyPlan, _ plan: ClassPlan, at element: ElementPosition = .none
    ) throws -> Any? {
        guard let convert else { return nil }
        let unfit = RealmFileImport.UnfitValue(
            object: object, className: plan.target.name, propertyName: property.target.name,
            propertyType: property.target.typeDescription, position: element.position, key: element.key,
            value: value, reason: reason)
        let other = try convert(unfit)
        writer.checkOpen()
        return other
    }
}

/// The position of an element in a collection.
enum ElementPosition {
    case none
    case position(Int)
    case key(String)

    var position: Int? { if case .position(let position) = self { position } else { nil } }
    var key: String? { if case .key(let key) = self { key } else { nil } }
}

/// A bound on how much an import writes. More values than a file of its size can hold are a sign of damage: for example, many
/// references to the same part of the file.
struct ImportLimit {
    /// The largest number of values per byte. A list of a thousand zeros takes nine bytes, and each zero may be a link that is
    /// listed once more at its target.
    private static let valuesPerByte = 256

    private var values: Int
    /// The number of bytes that texts and data may still take. Each of them is in the file once.
    private var bytes: Int

    init(_ file: RealmFile) {
        values = 4096 + ImportLimit.valuesPerByte * min(file.byteCount, Int.max >> 10)
        bytes = file.byteCount
    }

    /// Accounts for a value.
    ///
    /// - Parameter isShared: Whether the file stores equal texts of the property only once.
    mutating func spend(_ value: RealmFile.Value, isShared: Bool) throws(RealmFileError) {
        let count =
            switch value {
            case .string(let text): text.utf8.count
            case .malformedString(let bytes), .data(let bytes): bytes.count
            default: 0
            }
        try spend(count, isShared: isShared)
    }

    /// Accounts for a dictionary's key.
    mutating func spend(_ key: RealmFile.Dictionary.Key) throws(RealmFileError) {
        switch key {
        case .string(let text): try spend(text.utf8.count, isShared: false)
        case .malformedString(let bytes): try spend(bytes.count, isShared: false)
        case .int: try spend(0, isShared: false)
        }
    }

    private mutating func spend(_ count: Int, isShared: Bool) throws(RealmFileError) {
        values -= isShared ? 1 + count / ImportLimit.valuesPerByte : 1
        if !isShared { bytes -= count }
        guard values >= 0, bytes >= 0 else {
            throw .damaged(offset: 0, reason: "there are more values than a file of this size can hold")
        }
    }
}
