import KivoEngine

/// The writing of a planned change set, by rows: no code of the app runs except observers, and defaults that the change set lacks.
struct ChangeApplier {
    private let realm: Realm
    private let targets: ChangeTargets
    private let classes: StoredClasses
    /// Whether inserted objects get the keys that they have in the change set, if these are unused.
    private var keepsKeys = false
    private var writer: RowWriter { targets.writer }

    /// Applies a change set in the open write transaction.
    ///
    /// - Parameters:
    ///   - sharesKeys: Whether keys of objects without a primary key certainly mean the same in this realm.
    ///   - keepsKeys: Whether inserted objects get the keys that they have in the change set, if these are unused.
    static func apply(
        _ changes: ChangeSet, to realm: Realm, _ policy: ChangeSet.ConflictPolicy, sharesKeys: Bool = false,
        keepsKeys: Bool = false
    ) throws -> ChangeSet.Report {
        let targets = ChangeTargets(realm, changes, sharesKeys: sharesKeys)
        let plan = try ChangePlan(changes, realm, policy, targets)
        return try ChangeApplier(
            realm: realm, targets: targets, classes: plan.classes, keepsKeys: keepsKeys
        ).carryOut(plan)
    }

    private func carryOut(_ plan: ChangePlan) throws -> ChangeSet.Report {
        var report = ChangeSet.Report()
        report.conflicts = plan.conflicts
        var objects = plan.objects
        // All objects exist before links to them are written.
        for index in objects.indices where objects[index].key == nil {
            let object = objects[index]
            let key = insert(object)
            if let property = object.stored.primaryKey {
                let cell = object.id.primaryKey!.cell(of: property)!
                writer.transaction.set(cell, object.stored.table, key, property.column)
            } else {
                report.newObjects[object.id] = ChangeSet.ObjectID(className: object.id.className, key: key)
            }
            targets.inserted[object.id] = key
            objects[index].key = key
            writer.noteWritten()
            let given = Set(object.writes.map(\.property.column))
            let others = object.stored.properties.filter { !given.contains($0.column) && !$0.isPrimaryKey }
            if !others.isEmpty { writer.setDefaults(others, of: key, object.stored) }
        }
        for object in objects {
            for (property, write) in object.writes where !property.isPrimaryKey {
                try carryOut(write, property, object.key!, object.stored)
            }
        }
        // Last, so that lists have the positions with which their edits begin.
        for object in plan.deletions {
            writer.checkOpen()
            guard writer.contains(RowID(table: object.stored.table, key: object.key!)) else { continue }
            realm.instance.delete(object.stored.context.accessor(object.key!))
        }
        report.appliedCount = objects.count + plan.deletions.count
        return report
    }

    private func insert(_ object: ChangePlan.Object) -> ObjectKey {
        let key = object.id.key
        guard keepsKeys, key > 0, !writer.contains(RowID(table: object.stored.table, key: key)) else {
            return writer.insert(object.stored)
        }
        writer.transaction.insert(into: object.stored.table, at: key)
        return key
    }

    private func carryOut(
        _ write: ChangePlan.Write, _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass
    ) throws {
        writer.checkOpen()
        // An observer may have deleted it.
        guard writer.contains(RowID(table: stored.table, key: key)) else { return }
        switch write {
        case .value(let value): try assign(value, property, key, stored)
        case .list(let edits): try edit(edits, property, key, stored)
        case .set(let edits):
            let reference = CollectionReference(stored.context, key, property.info)
            let removed = try cells(Array(edits.removed), property, stored)
            let inserted = try cells(Array(edits.inserted), property, stored)
            reference.change(.wholesale) { transaction in
                for cell in removed {
                    let (position, isEqual) = reference.sequence.lowerBound(cell)
                    if isEqual { transaction.removeElement(at: position, from: reference.id) }
                }
                for cell in inserted {
                    let (position, isEqual) = reference.sequence.lowerBound(cell)
                    if !isEqual { transaction.insertElement(cell, at: position, into: reference.id) }
                }
            }
        case .entries(let edits): try edit(edits, property, key, stored)
        }
    }

    // MARK: Whole values

    /// Gives a property a value, and writes only what differs.
    private func assign(
        _ value: ChangeSet.Value, _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass
    ) throws {
        let held = self.value(property, key, stored)
        let difference = ChangeSet.Property(
            property.columnName, old: held, new: value, isCollection: property.collection != .none)
        if difference.isEmpty { return }
        switch difference.edit {
        case .list(let edits): try edit(edits, property, key, stored)
        case .set(let edits): try carryOut(.set(edits), property, key, stored)
        case .dictionary(let edits): try edit(edits.entries, property, key, stored)
        case .values:
            let row = RowID(table: stored.table, key: key)
            if case .embedded(let properties) = value, let object = embedded(property, row, stored) {
                return try update(object, with: properties)
            }
            writer.update(try cell(value, property, stored), property, key, stored)
        }
    }

    /// Returns the current value of a property.
    private func value(
        _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass
    ) -> ChangeSet.Value {
        VersionValues(snapshot: realm.instance.snapshot, classes: classes).value(property, key, stored)
    }

    /// Returns the embedded object of a property; nil if there is none.
    private func embedded(
        _ property: RowProperty, _ row: RowID, _ stored: RowClass
    ) -> (key: ObjectKey, stored: RowClass)? {
        let key = writer.transaction.table(row.table).cell(row.key, property.column, .link).linkKey
        return key == 0 ? nil : (key, targets.target(of: property, stored))
    }

    /// Gives an embedded object other values. It stays the same object, so that its observers and accessors follow.
    private func update(
        _ object: (key: ObjectKey, stored: RowClass), with values: [String: ChangeSet.Value]
    ) throws {
        for property in object.stored.properties {
            if let value = values[property.columnName] {
                try carryOut(.value(value), property, object.key, object.stored)
            }
        }
    }

    private func cells(
        _ values: [ChangeSet.Value], _ property: RowProperty, _ stored: RowClass
    ) throws -> [Cell] {
        let cells = try values.map { try cell($0, property, stored) }
        // Lists and sets of objects leave out links without a target.
        return property.scalar == nil ? cells.filter { $0.linkKey != 0 } : cells
    }

    /// Returns the cell of a value or element. An embedded object, a list or a dictionary becomes new rows.
    private func cell(
        _ value: ChangeSet.Value, _ property: RowProperty, _ stored: RowClass
    ) throws -> Cell {
        if property.scalar == .any { return try anyCell(value) }
        switch value {
        case .object(let object): return .link(try targets.row(of: object)?.key ?? 0)
        case .embedded(let values):
            let target = targets.target(of: property, stored)
            let key = writer.insert(target)
            try update((key, target), with: values)
            return .link(key)
        case .null where property.scalar == nil: return .link(0)
        default: return value.cell(of: property)!
        }
    }

    private func anyCell(_ value: ChangeSet.Value) throws -> Cell {
        if let cell = value.anyCell { return cell }
        switch value {
        case .object(let object): return try targets.row(of: object).map { .typedLink($0) } ?? .null
        case .list(let values):
            let cells = try values.map(anyCell)
            let row = writer.insertContainer(.list)
            insert(cells, AnyContainer.list.values, row)
            return .typedLink(row)
        case .dictionary(let entries):
            let cells = try entries.map { try anyCell($0.value) }
            let row = writer.insertContainer(.dictionary)
            insert(entries.map { .string($0.key) }, AnyContainer.dictionary.members, row)
            insert(cells, AnyContainer.dictionary.values, row)
            return .typedLink(row)
        default: return .null
        }
    }

    private func insert(_ cells: [Cell], _ column: Int, _ row: RowID) {
        writer.transaction.insertElements(
            cells, at: 0, into: CollectionID(table: row.table, column: column, key: row.key))
    }

    // MARK: Edits

    private func edit(
        _ edits: ChangeSet.ListEdits, _ property: RowProperty, _ key: ObjectKey, _ stored: RowClass
    ) throws {
        let list = CollectionReference(stored.context, key, property.info)
        let row = RowID(table: stored.table, key: key)
        if list.sequence.count != edits.oldCount {
            // An observer has edited the list meanwhile.
            guard case .list(let held) = value(property, key, stored) else { return }
            let rest = ChangeSet.ListEdits(from: held, to: edits.merged(into: held))
            return rest.isEmpty ? () : try edit(rest, property, key, stored)
        }
        var count = edits.oldCount
        /// Whether the list is as it was left, although observers were notified.
        func isUnchanged() -> Bool { writer.contains(row) && list.sequence.count == count }
        let removals = edits.deletions.map(\.index)
        if !removals.isEmpty {
            let cells = removals.map { list.sequence.cell(at: $0) }
            list.change(.removal(.scattered(removals)), ending: cells) { transaction in
                for index in removals.reversed() { transaction.removeElement(at: index, from: list.id) }
            }
            count -= removals.count
        }
        // A link without a target is left out; the elements after it move up.
        var omitted: [Int] = []
        func position(_ index: Int) -> Int { index - omitted.partitionPoint { $0 < index } }
        var run: (start: Int, cells: [Cell]) = (0, [])
        func insertRun() {
            guard !run.cells.isEmpty, writer.contains(row) else { return }
            let start = min(run.start, list.sequence.count)
            list.change(.insertion(start..<start + run.cells.count)) { transaction in
                transaction.insertElements(run.cells, at: start, into: list.id)
            }
            count += run.cells.count
            run.cells = []
        }
        for element in edits.insertions {
            let cell = try cell(element.value, property, stored)
            if property.scalar == nil, cell.linkKey == 0 {
                omitted.append(element.index)
                continue
            }
            let index = position(element.index)
            if index != run.start + run.cells.count { insertRun() }
            if run.cells.isEmpty { run.start = index }
            run.cells.append(cell)
        }
        insertRun()
        for modification in edits.modifications where isUnchanged() {
            let index = position(modification.newIndex)
            let held = list.sequence.cell(at: index)
            if case .embedded(let values) = modification.new {
                try update((held.linkKey, targets.target(of: property, stored)), with: values)
                continue
            }
            let cell = try cell(modification.new, property, stored)
            if property.scalar == nil, cell.linkKey == 0 { continue }
            list.change(.replacement([index]), ending: [held]) { transaction in
                transaction.replaceElement(cell, at: index, in: list.id)
            }
        }
    }

    private func edit(
        _ edits: [ChangeSet.DictionaryEdits.Edit], _ property: RowProperty, _ key: ObjectKey,
        _ stored: RowClass
    ) throws {
        let map = MapReference(stored.context.accessor(key), property.info)
        for edit in edits where writer.contains(RowID(table: stored.table, key: key)) {
            let (position, isEqual) = map.keys.sequence.lowerBound(.string(edit.key))
            let held = isEqual ? [map.values.sequence.cell(at: position)] : []
            guard let new = edit.new else {
                if isEqual { map.change(ending: held) { map.remove(at: position, $0) } }
                continue
            }
            if case .embedded(let values) = new, let old = held.first?.linkKey, old != 0 {
                try update((old, targets.target(of: property, stored)), with: values)
                continue
            }
            let cell = try cell(new, property, stored)
            map.change(ending: held) { map.put([(edit.key, cell)], $0) }
        }
    }
}

extension Realm {
    /// Applies a change set that was made elsewhere, or earlier: in another process or on another machine, to another copy of the data,
    /// or the ``ChangeSet/inverse`` of one, to undo it.
    ///
    /// Objects are found by their primary keys. Each property is compared with the value with which the change set begins, so that
    /// nothing is overwritten unnoticed; a property that has the new value already is not written. An inserted object has the defaults
    /// of its class where the change set has no values. Sets are united, dictionaries are compared entry by entry. A list that was edited otherwise is a conflict; if the change set prevails, its elements are found by
    /// value, and no other element is lost. Observers are notified as of any other write.
    ///
    /// Objects of a class without a primary key are found only in the realm that the change set is of. Inserted ones get new keys:
    /// see ``ChangeSet/Report/newObjects``.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - policy: The resolution of conflicts.
    /// - Returns: The number of changed objects, the conflicts, and new identities.
    /// - Throws: ``ChangeSet/ConflictError`` if there are conflicts and the policy is ``ChangeSet/ConflictPolicy/throw``;
    ///   ``Realm/Error`` with the code ``Realm/Error/Code/invalidInput`` if classes, properties or values do not fit this realm. Nothing
    ///   is written then. Without an open write transaction also the errors of ``Realm/write(withoutNotifying:_:)``, because a
    ///   transaction is made.
    /// - Complexity: O(changes · log n), plus O(elements) of changed lists.
    @discardableResult
    public func apply(
        _ changes: ChangeSet, conflicts policy: ChangeSet.ConflictPolicy = .throw
    ) throws -> ChangeSet.Report {
        instance.checkConfinement()
        if instance.isInWriteTransaction { return try ChangeApplier.apply(changes, to: self, policy) }
        return try write { try ChangeApplier.apply(changes, to: self, policy) }
    }
}
