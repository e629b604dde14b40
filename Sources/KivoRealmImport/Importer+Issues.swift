import Kivo
import KivoEngine
import KivoRealmFiles

extension Importer {
    /// Notes what could not be brought along.
    func note(
        _ reason: RealmFileImport.Reason, _ object: RealmFile.Object, _ plan: ClassPlan,
        _ property: PropertyPlan?, _ value: String, at element: ElementPlace = .none
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

    /// The primary key of an object in the file, in words.
    func primaryKeyText(of object: RealmFile.Object) -> String? {
        guard let property = object.table.primaryKey else { return nil }
        return (try? object.value(of: property))?.summary
    }

    /// What the block makes of a value that does not fit, as a cell; nil if it leaves it out. Throws if that fits no better.
    func convertedCell(
        _ value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ object: RealmFile.Object,
        _ property: PropertyPlan, _ plan: ClassPlan, at element: ElementPlace = .none
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

    /// What the block makes of a value that does not fit; nil if it leaves it out.
    func converted(
        _ value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ object: RealmFile.Object,
        _ property: PropertyPlan, _ plan: ClassPlan, at element: ElementPlace = .none
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

/// Where in a collection an element is.
enum ElementPlace {
    case none
    case position(Int)
    case key(String)

    var position: Int? { if case .position(let position) = self { position } else { nil } }
    var key: String? { if case .key(let key) = self { key } else { nil } }
}
