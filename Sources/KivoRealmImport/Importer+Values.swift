import Kivo
import KivoEngine
import KivoRealmFiles

/// The target of a value: a property of an object, and the row to which it is written.
struct ValuePlace {
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
        let place = ValuePlace(object: object, row: row, plan: plan, property: property, isNew: isNew)
        if let misfit = property.misfit {
            if case .null = value { return }
            return try assignConverted(value, .otherType(misfit), place)
        }
        switch (property.target.collection, value) {
        case (.list, .list(let list)), (.set, .list(let list)): try write(list, place)
        case (.map, .dictionary(let dictionary)): try write(dictionary, place)
        default: try write(single: value, place)
        }
    }

    private func write(single value: RealmFile.Value, _ place: ValuePlace) throws {
        let (target, row) = (place.property.target, place.row)
        guard let cell = try cell(of: value, place, .none) else {
            // A value that is left out gets its default.
            if place.isNew, target.scalar != nil {
                writer.setDefaults([target], of: row.key, place.plan.target)
            }
            return
        }
        if !place.isNew {
            writer.update(cell, target, row.key, place.plan.target)
        } else if cell != .null, cell != .link(0) {
            writer.transaction.set(cell, row.table, row.key, target.column)
        }
    }

    /// Assigns the conversion closure's value for a value that the property cannot hold as it is.
    private func assignConverted(
        _ value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ place: ValuePlace
    ) throws {
        let (object, property, plan) = (place.object, place.property, place.plan)
        if let other = try converted(value, reason, object, property, plan) {
            writer.assign(other, property.target, place.row.key, plan.target)
        } else {
            note(reason, object, plan, property, value.summary)
        }
    }

    // MARK: Single values

    /// Returns the cell of a value, or of an element at a place. Returns nil and notes an issue if there is none.
    func cell(of value: RealmFile.Value, _ place: ValuePlace, _ element: ElementPlace) throws -> Cell? {
        let target = place.property.target
        guard let scalar = target.scalar else { return try linkCell(of: value, place, element) }
        if scalar == .any { return try anyCell(of: value, place, element) }
        switch value.converted(to: scalar, isOptional: target.isOptional) {
        case .cell(let cell): return cell
        case .unfit(let reason): return try cell(instead: value, reason, place, element)
        }
    }

    private func linkCell(
        of value: RealmFile.Value, _ place: ValuePlace, _ element: ElementPlace
    ) throws -> Cell? {
        let collection = place.property.target.collection
        switch value {
        case .null where collection == .list || collection == .set:
            note(.null, place.object, place.plan, place.property, value.summary, at: element)
        case .null: return .link(0)
        case .link(let link):
            switch try self.target(link) {
            case .success(let row): return .link(row.key)
            case .failure(let error):
                note(error.reason, place.object, place.plan, place.property, value.summary, at: element)
            }
        default:
            note(
                .otherType(value.typeName), place.object, place.plan, place.property, value.summary,
                at: element)
        }
        // The map keeps the key, as if the object had been deleted.
        return collection == .map ? .link(0) : nil
    }

    /// Returns the cell of the conversion closure's value for an unfit value. Returns nil and notes an issue if there is none.
    private func cell(
        instead value: RealmFile.Value, _ reason: RealmFileImport.Reason, _ place: ValuePlace,
        _ element: ElementPlace
    ) throws -> Cell? {
        let (object, property, plan) = (place.object, place.property, place.plan)
        if let cell = try convertedCell(value, reason, object, property, plan, at: element) { return cell }
        note(reason, object, plan, property, value.summary, at: element)
        return nil
    }

    // MARK: Values of any type

    /// Returns the cell of a value of type any. Lists and dictionaries get rows, which have no owner yet. Their nesting is
    /// limited by the reader.
    private func anyCell(
        of value: RealmFile.Value, _ place: ValuePlace, _ element: ElementPlace
    ) throws -> Cell? {
        if let cell = value.anyCell { return cell }
        switch value {
        case .link(let link):
            // A value of type any owns no object.
            let isOwned = plansByTable[link.table].map { plans[$0].target.isEmbedded } ?? false
            if !isOwned, case .success(let row) = try target(link) { return .typedLink(row) }
            note(.missingTarget, place.object, place.plan, place.property, value.summary, at: element)
            return nil
        case .list(let list) where !list.isSet && place.property.target.collection != .set:
            let row = writer.insertContainer(.list)
            let id = CollectionID(table: row.table, column: AnyContainer.list.values, key: row.key)
            var elements: [Cell] = []
            try list.forEach {
                try limit.spend($0, isShared: false)
                elements.append(try anyCell(of: $0, place, element) ?? .null)
                if elements.count == Importer.elementsAtATime { append(&elements, to: id) }
            }
            append(&elements, to: id)
            return .typedLink(row)
        case .dictionary(let dictionary) where place.property.target.collection != .set:
            let row = writer.insertContainer(.dictionary)
            try write(
                dictionary, place,
                keys: CollectionID(table: row.table, column: AnyContainer.dictionary.members, key: row.key),
                values: CollectionID(table: row.table, column: AnyContainer.dictionary.values, key: row.key)
            ) { value, key in try anyCell(of: value, place, .key(key)) ?? .null }
            return .typedLink(row)
        case .malformedString: return try cell(instead: value, .malformedText, place, element)
        default: return try cell(instead: value, .otherType(value.typeName), place, element)
        }
    }
}
