import Kivo
import KivoEngine
import KivoRealmFiles

/// The target of a value: a property of an object, and the row to which it is written.
struct ValueDestination {
    let object: RealmFile.Object
    let row: RowID
    let plan: ClassPlan
    let property: PropertyPlan
    /// Whether this import inserted the row, so that the property still has zero, empty or null.
    let isNew: Bool
}

extension Importer {
    /// The number of elements that are written at once, so that no list has to be in memory as a whole.
    static let elementsAtATime = 1024

    /// Writes one property of an object.
    func write(
        _ property: PropertyPlan, of object: RealmFile.Object, to row: RowID, _ plan: ClassPlan, isNew: Bool
    ) throws {
        // Observers of an overwritten row may delete the object.
        if !isNew, !writer.contains(row) { return }
        let value = try object.value(of: property.source)
        try limit.spend(value, isShared: property.source.isEnumerated)
        let destination = ValueDestination(
            object: object, row: row, plan: plan, property: property, isNew: isNew)
        if let misfit = property.misfit {
            if case .null = value { return }
            return try assignConverted(value, .otherType(misfit), destination)
        }
        switch (property.target.collection, value) {
        case (.list, .list(let list)), (.set, .list(let list)): try write(list, destination)
        case (.map, .dictionary(let dictionary)): try write(dictionary, destination)
        default: try write(single: value, destination)
        }
    }

    private func write(single value: RealmFile.Value, _ destination: ValueDestination) throws {
        let (target, row) = (destination.property.target, destination.row)
        guard let cell = try cell(of: value, destination, .none) else {
            // A value that is left out gets its default.
            if destination.isNew, target.scalar != nil {
                writer.setDefaults([target], of: row.key, destination.plan.target)
            }
            return
        }
        if !destination.isNew {
            writer.update(cell, target, row.key, destination.plan.target)
        } else if cell != .null, cell != .link(0) {
            writer.transaction.set(cell, row.table, row.key, target.column)
        }
    }

    /// Assigns the conversion closure's value for a value that the property cannot hold as it is.
    private func assignConverted(
        _ value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ destination: ValueDestination
    ) throws {
        let (object, property, plan) = (destination.object, destination.property, destination.plan)
        if let other = try converted(value, reason, object, property, plan) {
            writer.assign(other, property.target, destination.row.key, plan.target)
        } else {
            note(reason, object, plan, property, value.summary)
        }
    }

    // MARK: Single values

    /// Returns the cell of a value, or of an element at a position. Returns nil and notes an issue if there is none.
    func cell(of value: RealmFile.Value, _ destination: ValueDestination, _ element: ElementPosition) throws
        -> Cell?
    {
        let target = destination.property.target
        guard let scalar = target.scalar else { return try linkCell(of: value, destination, element) }
        if scalar == .any { return try anyCell(of: value, destination, element) }
        switch value.converted(to: scalar, isOptional: target.isOptional) {
        case .cell(let cell): return cell
        case .unfit(let reason): return try cell(instead: value, reason, destination, element)
        }
    }

    private func linkCell(
        of value: RealmFile.Value, _ destination: ValueDestination, _ element: ElementPosition
    ) throws -> Cell? {
        let collection = destination.property.target.collection
        switch value {
        case .null where collection == .list || collection == .set:
            note(
                .null, destination.object, destination.plan, destination.property, value.summary, at: element)
        case .null: return .link(0)
        // In a damaged file a link may lead to an object of any class.
        case .link(let link) where !leadsElsewhere(link, destination.property.target):
            switch try self.target(link) {
            case .success(let row): return .link(row.key)
            case .failure(let error):
                note(
                    error.reason, destination.object, destination.plan, destination.property, value.summary,
                    at: element)
            }
        default:
            note(
                .otherType(value.typeName), destination.object, destination.plan, destination.property,
                value.summary,
                at: element)
        }
        // The map keeps the key, as if the object had been deleted.
        return collection == .map ? .link(0) : nil
    }

    /// Whether a link leads to an object of another class than that of a property.
    private func leadsElsewhere(_ link: RealmFile.Link, _ property: RowProperty) -> Bool {
        plansByTable[link.table].map { plans[$0].target.table != property.target } ?? false
    }

    /// Returns the cell of the conversion closure's value for an unfit value. Returns nil and notes an issue if there is none.
    private func cell(
        instead value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ destination: ValueDestination,
        _ element: ElementPosition
    ) throws -> Cell? {
        let (object, property, plan) = (destination.object, destination.property, destination.plan)
        if let cell = try convertedCell(value, reason, object, property, plan, at: element) { return cell }
        note(reason, object, plan, property, value.summary, at: element)
        return nil
    }

    // MARK: Values of any type

    /// Returns the cell of a value of type any. Lists and dictionaries get rows, which have no owner yet. Their nesting is
    /// limited by the reader.
    private func anyCell(
        of value: RealmFile.Value, _ destination: ValueDestination, _ element: ElementPosition
    ) throws -> Cell? {
        if let cell = value.anyCell { return cell }
        switch value {
        case .link(let link):
            // A value of type any owns no object.
            let isOwned = plansByTable[link.table].map { plans[$0].target.isEmbedded } ?? false
            if !isOwned, case .success(let row) = try target(link) { return .typedLink(row) }
            note(
                .missingTarget, destination.object, destination.plan, destination.property, value.summary,
                at: element)
            return nil
        case .list(let list) where !list.isSet && destination.property.target.collection != .set:
            let row = writer.insertContainer(.list)
            let id = CollectionID(table: row.table, column: AnyContainer.list.values, key: row.key)
            var elements: [Cell] = []
            try list.forEach {
                try limit.spend($0, isShared: false)
                elements.append(try anyCell(of: $0, destination, element) ?? .null)
                if elements.count == Importer.elementsAtATime { append(&elements, to: id) }
            }
            append(&elements, to: id)
            return .typedLink(row)
        case .dictionary(let dictionary) where destination.property.target.collection != .set:
            let row = writer.insertContainer(.dictionary)
            try write(
                dictionary, destination,
                keys: CollectionID(table: row.table, column: AnyContainer.dictionary.members, key: row.key),
                values: CollectionID(table: row.table, column: AnyContainer.dictionary.values, key: row.key)
            ) { value, key in try anyCell(of: value, destination, .key(key)) ?? .null }
            return .typedLink(row)
        case .malformedString: return try cell(instead: value, .malformedText, destination, element)
        default: return try cell(instead: value, .otherType(value.typeName), destination, element)
        }
    }
}
