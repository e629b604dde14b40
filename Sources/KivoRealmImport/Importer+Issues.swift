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
