import KivoEngine

/// A migration of the tables of a file to classes of a higher version, while its store has no other user.
///
/// A migration is a list of steps. In each step tables get other columns, then the block changes rows. Each property that is
/// renamed begins a step, since rows are changed in the columns that their tables have. All steps are one record of the file.
/// Nothing is written before that record, and a run that fails leaves an unusable store, which is discarded.
///
/// Columns that the classes no longer have stay, hidden, until the block has returned: it may rename them.
///
/// Confined to the thread that opens the realm.
final class MigrationRun {
    let store: Store
    /// The classes to which the file is migrated, with all classes that they link to.
    private let classes: [ClassInfo]
    /// The classes by name.
    let byName: [String: ClassInfo]
    /// The tables of the file before the migration.
    let oldCatalog: Catalog
    /// The tables after the changes so far.
    private(set) var catalog: Catalog
    /// The version before the migration, which is pinned until the end.
    private let oldSnapshot: Snapshot
    /// The instance that reads rows as they were before the migration.
    let old: InstanceOwner
    /// The instance that reads and writes migrated rows; nil if tables have to be changed first.
    private var current: InstanceOwner?
    private let hasBlock: Bool
    private var pending = PendingShape()
    /// The stored names of properties that the classes no longer have.
    private(set) var hidden: [TableID: Set<String>] = [:]
    private var steps: [MigrationStep] = []
    /// The newest version, which is pinned until the end.
    private(set) var head: (version: UInt64, snapshot: Snapshot)
    private var pins: [UInt64]
    private let reader: UnsafeMutablePointer<ReaderState>

    /// The tables of classes that are embedded once the migration ends.
    private(set) var becomingEmbedded: [TableID] = []
    /// Embedded tables with rows that may have lost their owner.
    private(set) var bereft: Set<TableID> = []
    /// Tables that may contain a primary key twice.
    private(set) var rekeyed: Set<TableID> = []
    /// Tables whose objects were all deleted, and whose classes the program does not have.
    var emptied: Set<TableID> = []
    /// The copies of unmanaged objects that the block gives to objects of the migration.
    private let copies = MigrationCopies()
    /// The first data error of the block.
    private(set) var error: Realm.Error?

    /// The changes of tables that are made before rows are accessed for the next time.
    private struct PendingShape {
        /// For each table whose classification changes, whether its objects become embedded.
        var embedded: [TableID: Bool] = [:]
        /// The tables of backlinks that the changes in `embedded` make unused.
        var orphans: [TableID] = []
        var redefined: [TableID: TableRedefinition] = [:]
        var dropped: [TableID] = []

        var isEmpty: Bool { embedded.isEmpty && redefined.isEmpty && dropped.isEmpty }
    }

    /// Creates a run and plans the changes of the tables.
    init(_ store: Store, _ classes: [ClassInfo], hasBlock: Bool) {
        self.store = store
        self.hasBlock = hasBlock
        self.classes = Registry.closure(classes)
        byName = Dictionary(self.classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        catalog = store.catalog
        oldCatalog = catalog
        reader = ReaderState.allocate()
        head = (store.head, store.pin(store.head))
        pins = [head.version]
        oldSnapshot = head.snapshot
        old = MigrationRun.makeInstance(store, .old, byName, [:])
        old.instance.beginRead(at: head.version)
        plan()
    }

    deinit { reader.deallocate() }

    /// Runs the migration and logs all steps at once. If it throws, the store is unusable and the file is unchanged.
    ///
    /// - Parameter log: Logs the steps, which lead from the given version and tables.
    func run(
        _ block: MigrationBlock?, from oldVersion: UInt64,
        log: ([MigrationStep], Snapshot, Catalog) throws -> Void
    ) throws {
        defer { close() }
        if let block { block(Migration(self, old: oldSchema, new: newSchema), oldVersion) }
        try finish()
        let steps = steps.filter { !$0.isNothing }
        if !steps.isEmpty { try log(steps, oldSnapshot, oldCatalog) }
    }

    /// Unpins all versions but the newest. Objects that the app still holds are invalid afterwards.
    private func close() {
        endStep()
        old.instance.invalidate()
        for version in pins { store.unpin(version) }
        pins = []
    }

    /// Creates an instance for one side. Old objects have stored names, and the current property names of the program's class are
    /// aliases for them. New objects have only the properties that the class has.
    private static func makeInstance(
        _ store: Store, _ side: MigrationSide, _ classes: [String: ClassInfo],
        _ hidden: [TableID: Set<String>]
    ) -> InstanceOwner {
        func describe(_ table: TableID, _ catalog: Catalog) -> ClassInfo {
            let declared = classes[catalog.tables[table].name]
            guard side == .old else {
                return ClassInfo(
                    table, in: catalog, declared: declared, hiding: hidden[table] ?? [], isMigrating: true)
            }
            let names = declared?.storedProperties.map { ($0.name, $0.columnName) } ?? []
            return ClassInfo(
                table, in: catalog, declared: nil,
                aliases: Dictionary(names, uniquingKeysWith: { first, _ in first }), order: names.map(\.1),
                isMigrating: true)
        }
        return InstanceOwner(
            RealmInstance(
                store, store.configuration, .currentThread, migrating: side,
                describing: describe))
    }

    // MARK: Schemas

    private var oldSchema: Schema {
        let tables = oldCatalog.tables.indices.filter { oldCatalog.tables[$0].isClass }
        return Schema(
            tables.map { old.instance.classes.dynamicContext(of: $0) }.map { context in
                ObjectSchema(context.info) { $0.targetTable.map { oldCatalog.tables[$0].name } }
            })
    }

    private var newSchema: Schema {
        let own = classes.filter { AnyContainer(rawValue: $0.name) == nil || !$0.isEmbedded }
        return Schema(
            own.map { info in ObjectSchema(info) { $0.type.target?.className() } },
            isOpen: store.configuration.objectTypes == nil)
    }

    // MARK: Tables

    /// Determines the changes that the tables of the file need.
    private func plan() {
        for info in classes {
            guard let table = catalog.table(named: info.name),
                catalog.tables[table].isEmbedded != info.isEmbedded
            else { continue }
            if info.isEmbedded, catalog.tables[table].isDefined {
                becomingEmbedded.append(table)
            } else {
                setEmbedded(table, info.isEmbedded)
            }
        }
        let known = classes.filter { catalog.isDefined($0) }
        _ = catalog.define(classes)
        for info in known {
            let table = catalog.table(named: info.name)!
            let removed = Set(catalog.tables[table].columns.map(\.propertyName))
                .subtracting(info.storedProperties.map(\.columnName))
            if hasBlock, !removed.isEmpty { hidden[table] = removed }
            if let redefinition = catalog.redefinition(of: info, keepsRemoved: hasBlock) {
                redefine(redefinition)
            }
        }
    }

    /// Schedules a table to become embedded, or no longer embedded, in the next step. Rows of an embedded table belong to the
    /// objects that link to them.
    func setEmbedded(_ table: TableID, _ isEmbedded: Bool) {
        pending.embedded[table] = isEmbedded
        pending.orphans += catalog.setEmbedded(table, isEmbedded)
    }

    /// Schedules new columns for a table in the next step.
    func redefine(_ redefinition: TableRedefinition) {
        pending.redefined[redefinition.table] = redefinition
        if redefinition.columns.contains(where: \.isPrimaryKey) { rekeyed.insert(redefinition.table) }
    }

    /// Schedules an empty table for removal in the next step.
    func drop(_ table: TableID) { pending.dropped.append(table) }

    /// Returns the scheduled definition of a table, or its current one if no change is scheduled.
    func nextShape(of table: TableID) -> TableRedefinition {
        let spec = catalog.tables[table]
        return pending.redefined[table]
            ?? TableRedefinition(
                table: table, typeName: spec.typeName, columns: spec.columns,
                sources: spec.columns.indices.map { $0 })
    }

    /// Removes a hidden property of a table, which is not needed any more.
    func forgetHidden(_ name: String, of table: TableID) {
        hidden[table]?.remove(name)
        if hidden[table]?.isEmpty == true { hidden[table] = nil }
    }

    /// Begins a step and makes the scheduled changes of tables.
    private func beginStep() {
        var step = MigrationStep(catalog, head.snapshot)
        if !pending.isEmpty {
            let shape = pending
            pending = PendingShape()
            var rebuilt: [(TableRedefinition, RedefinedTable)] = []
            for (_, redefinition) in shape.redefined.sorted(by: { $0.key < $1.key }) {
                noteBereft(redefinition)
                rebuilt.append((redefinition, catalog.redefine(redefinition)))
            }
            let forgotten = shape.dropped.map { ($0, catalog.undefine($0)) }
            reader.pointee = ReaderState()
            let transaction = store.makeTransaction(head.snapshot, catalog, reader: reader)
            transaction.clear(orphans: shape.orphans)
            for (redefinition, old) in rebuilt { transaction.rebuild(redefinition, old) }
            for (table, old) in forgotten { transaction.drop(table, old) }
            stack(transaction, RowChangeSet())
            (step.embedded, step.redefined, step.dropped) = (
                shape.embedded, rebuilt.map(\.0), shape.dropped
            )
        }
        (step.catalog, step.snapshot) = (catalog, head.snapshot)
        steps.append(step)
        store.adopt(catalog)
    }

    private func stack(_ transaction: WriteTransaction, _ changes: RowChangeSet) {
        head = store.stack(transaction, changes)
        pins.append(head.version)
    }

    /// Records the tables whose rows lose their owner with the columns that a table loses.
    private func noteBereft(_ redefinition: TableRedefinition) {
        let kept = Set(redefinition.sources.compactMap { $0 })
        for (index, column) in catalog.tables[redefinition.table].columns.enumerated()
        where !kept.contains(index) {
            if column.isOwning, let target = column.target { bereft.insert(target) }
            if column.isAny {
                bereft.formUnion(catalog.tables.indices.filter { catalog.tables[$0].container != nil })
            }
        }
    }

    // MARK: Rows

    /// The instance that changes rows, in the current columns.
    var instance: RealmInstance {
        if let current { return current.instance }
        beginStep()
        let owner = MigrationRun.makeInstance(store, .new, byName, hidden)
        owner.instance.migrationCopies = copies
        owner.instance.beginRead(at: head.version)
        owner.instance.setTransaction(
            store.makeTransaction(head.snapshot, catalog, reader: owner.instance.reader))
        current = owner
        return owner.instance
    }

    /// Ends the step. Its objects are invalid afterwards.
    func endStep() {
        guard let owner = current else { return }
        current = nil
        let instance = owner.instance
        if error == nil { error = instance.pendingError }
        instance.pendingError = nil
        let transaction = instance.requireTransaction("migrate")
        let changes = transaction.changeSet()
        rekeyed.formUnion(changes.tables.map(\.table))
        catalog = transaction.catalog
        stack(transaction, changes)
        let last = steps.count - 1
        (steps[last].catalog, steps[last].snapshot, steps[last].changes) = (catalog, head.snapshot, changes)
        instance.setTransaction(nil)
        instance.invalidate()
    }

    /// Adds the table of a class that the program has but the file does not. Returns nil if there is no class with the name.
    func declare(_ name: String) throws -> TableContext? {
        guard store.configuration.objectTypes == nil, let type = Registry.type(declaredAs: name)
        else { return nil }
        let instance = instance
        try catalog.register(Registry.info(type))
        instance.adopt(catalog)
        store.adopt(catalog)
        return instance.classes.dynamicContext(named: name)
    }
}
