import Kivo
import KivoEngine
import KivoRealmFiles

/// One import. It writes all objects with their own values first, and then the links between objects.
///
/// Embedded objects are imported with their owners. Confined to the call.
final class Importer {
    /// The number of objects between two calls of the progress closure, if there are no batches.
    private static let stepsBetweenProgress = 10_000

    let realm: Realm
    let file: RealmFile
    let options: RealmFileImport.Options
    let convert: RealmFileImport.Converter?
    private let progress: ((RealmFileImport.Progress) throws -> Void)?
    var report = RealmFileImport.Report()
    var limit: ImportLimit
    private(set) var plans: [ClassPlan] = []
    private(set) var plansByTable: [RealmFile.TableKey: Int] = [:]
    /// The imported keys of each class.
    private var keys: [KeyMap] = []
    /// The embedded objects of each class that were imported.
    private var owned: [Set<Int64>] = []
    /// The first key that this import assigned in each table.
    private var firstKeys: [ObjectKey?] = []
    /// Embedded objects that have rows, but no values yet.
    private var pending: [(plan: Int, object: RealmFile.Object, key: ObjectKey)] = []
    /// The writer of the open transaction.
    private(set) var writer: RowWriter!
    private var isOpen = false
    private var state: RealmFileImport.Progress
    private var uncommitted = 0

    init(
        _ realm: Realm, _ file: RealmFile, _ options: RealmFileImport.Options,
        _ convert: RealmFileImport.Converter?, _ progress: ((RealmFileImport.Progress) throws -> Void)?
    ) throws {
        self.realm = realm
        self.file = file
        self.options = options
        self.convert = convert
        self.progress = progress
        limit = ImportLimit(file)
        plans = try ClassPlan.all(of: file.schema(), in: realm, options.classes, &report)
        for (index, plan) in plans.enumerated() { plansByTable[plan.source.key] = index }
        keys = Array(repeating: KeyMap(), count: plans.count)
        owned = Array(repeating: [], count: plans.count)
        firstKeys = Array(repeating: nil, count: plans.count)
        let steps = plans.filter { !$0.target.isEmbedded }
            .reduce(0) { $0 + $1.source.count * ($1.links.isEmpty ? 1 : 2) }
        state = RealmFileImport.Progress(completedSteps: 0, totalSteps: steps, className: "")
    }

    // MARK: Transactions

    func run() throws -> RealmFileImport.Report {
        let isPart = realm.isInWriteTransaction
        if case .batches(let count) = options.transactions {
            if isPart {
                fatalError(
                    """
                    'importObjects' was called in a write transaction and is to write in several: call it outside of \
                    'realm.write { }', or with 'transactions: .one'.
                    """)
            }
            if count < 1 {
                fatalError("'importObjects' was given batches of \(count) objects: use 1 or more.")
            }
        }
        do {
            try begin(isPart)
            for index in plans.indices where !plans[index].target.isEmbedded { try insertObjects(index) }
            for index in plans.indices where !plans[index].target.isEmbedded && !plans[index].links.isEmpty {
                try linkObjects(index)
            }
            for index in plans.indices where plans[index].target.isEmbedded { try reportWithoutOwner(index) }
            writer.noteWritten()
            if !isPart { try commit() }
            try reportProgress()
        } catch {
            if isOpen, !isPart, realm.isInWriteTransaction { realm.cancelWrite() }
            throw error
        }
        return report
    }

    private func begin(_ isPart: Bool = false) throws {
        if !isPart { realm.beginWrite() }
        isOpen = true
        writer = realm.rowWriter()
    }

    private func commit() throws {
        isOpen = false
        try realm.commitWrite()
    }

    /// Counts a written object, and ends the batch after its last one.
    private func step(_ index: Int) throws {
        state.completedSteps += 1
        uncommitted += 1
        switch options.transactions {
        case .one:
            guard uncommitted >= Importer.stepsBetweenProgress else { return }
            uncommitted = 0
            state.className = plans[index].target.name
            writer.noteWritten()
            try reportProgress()
            writer.checkOpen()
        case .batches(let count):
            guard uncommitted >= count else { return }
            uncommitted = 0
            state.className = plans[index].target.name
            writer.noteWritten()
            try commit()
            try reportProgress()
            try begin()
        }
    }

    private func reportProgress() throws { try progress?(state) }

    // MARK: Objects

    /// Writes the objects of a class with their own values, without links.
    private func insertObjects(_ index: Int) throws {
        let plan = plans[index]
        try plan.source.forEachObject { object in
            guard let entry = try entry(of: object, index) else { return try step(index) }
            keys[index].append(object.key, entry)
            if entry.isWritten {
                let row = RowID(table: plan.target.table, key: entry.key)
                for property in plan.values {
                    try write(property, of: object, to: row, plan, isNew: entry.isNew)
                }
                if entry.isNew, !plan.missing.isEmpty {
                    writer.setDefaults(plan.missing, of: entry.key, plan.target)
                }
            }
            try step(index)
        }
    }

    /// Returns the row for an object, and inserts it with its primary key if necessary. Returns nil if the object cannot have a
    /// row.
    private func entry(of object: RealmFile.Object, _ index: Int) throws -> KeyMap.Entry? {
        let plan = plans[index]
        guard let primaryKey = plan.primaryKey else {
            report.classes[index].inserted += 1
            return KeyMap.Entry(key: insert(index), isWritten: true, isNew: true)
        }
        let property: RowProperty
        let cell: Cell?
        switch primaryKey {
        case .missing(let missing):
            property = missing
            cell = writer.defaultCell(missing, plan.target)
        case .file(let file):
            property = file.target
            cell = try primaryKeyCell(of: object, file, plan)
        }
        guard let cell else { return nil }
        guard let existing = writer.key(of: cell, plan.target) else {
            let key = insert(index)
            writer.transaction.set(cell, plan.target.table, key, property.column)
            report.classes[index].inserted += 1
            return KeyMap.Entry(key: key, isWritten: true, isNew: true)
        }
        if let first = firstKeys[index], existing >= first {
            note(.duplicatePrimaryKey, object, plan, nil, "the object")
            return KeyMap.Entry(key: existing, isWritten: false, isNew: false)
        }
        switch options.existingObjects {
        case .error:
            throw Realm.Error(
                .invalidInput,
                """
                An object of class '\(plan.target.name)' with primary key \(primaryKeyText(of: object) ?? "of the default") exists \
                already: say by 'existingObjects' whether it is to be overwritten or kept.
                """, fileURL: realm.configuration.fileURL)
        case .overwrite:
            report.classes[index].overwritten += 1
            return KeyMap.Entry(key: existing, isWritten: true, isNew: false)
        case .keep:
            report.classes[index].kept += 1
            return KeyMap.Entry(key: existing, isWritten: false, isNew: false)
        }
    }

    private func insert(_ index: Int) -> ObjectKey {
        let key = writer.insert(plans[index].target)
        if firstKeys[index] == nil { firstKeys[index] = key }
        return key
    }

    private func primaryKeyCell(
        of object: RealmFile.Object, _ property: PropertyPlan, _ plan: ClassPlan
    ) throws -> Cell? {
        let value = try object.value(of: property.source)
        let scalar = property.target.scalar!
        let result =
            property.misfit.map { ConvertedValue.unfit(.otherType($0)) }
            ?? value.converted(to: scalar, isOptional: property.target.isOptional)
        switch result {
        case .cell(let cell): return cell
        case .unfit(let reason):
            if let cell = try convertedCell(value, reason, object, property, plan) { return cell }
            note(reason, object, plan, nil, value.summary)
            return nil
        }
    }

    // MARK: Links

    /// Writes the links from the objects of a class to others.
    private func linkObjects(_ index: Int) throws {
        let plan = plans[index]
        try plan.source.forEachObject { object in
            if let entry = keys[index].find(object.key), entry.isWritten {
                let row = RowID(table: plan.target.table, key: entry.key)
                // Other writers may delete the row between two batches.
                if writer.contains(row) {
                    for property in plan.links {
                        try write(property, of: object, to: row, plan, isNew: entry.isNew)
                    }
                    try writePending()
                }
            }
            try step(index)
        }
    }

    /// Writes the values of embedded objects, and of those that they own.
    private func writePending() throws {
        while let (index, object, key) = pending.popLast() {
            let plan = plans[index]
            let row = RowID(table: plan.target.table, key: key)
            guard writer.contains(row) else { continue }
            for property in plan.values + plan.links {
                try write(property, of: object, to: row, plan, isNew: true)
            }
            if !plan.missing.isEmpty { writer.setDefaults(plan.missing, of: key, plan.target) }
        }
    }

    /// Returns the row into which an object of the file was imported, or why there is none. Inserts an embedded object for its
    /// link.
    func target(_ link: RealmFile.Link) throws -> Result<RowID, Unlinkable> {
        guard let index = plansByTable[link.table] else {
            return .failure(Unlinkable(reason: .missingTarget))
        }
        let plan = plans[index]
        guard plan.target.isEmbedded else {
            guard let entry = keys[index].find(link.key) else {
                return .failure(Unlinkable(reason: .missingTarget))
            }
            let row = RowID(table: plan.target.table, key: entry.key)
            return writer.contains(row) ? .success(row) : .failure(Unlinkable(reason: .missingTarget))
        }
        guard let object = try plan.source.object(withKey: link.key) else {
            return .failure(Unlinkable(reason: .missingTarget))
        }
        guard owned[index].insert(link.key).inserted else { return .failure(Unlinkable(reason: .ownedTwice)) }
        let key = writer.insert(plan.target)
        report.classes[index].inserted += 1
        pending.append((index, object, key))
        return .success(RowID(table: plan.target.table, key: key))
    }

    /// Reports the embedded objects to which no link leads.
    private func reportWithoutOwner(_ index: Int) throws {
        let plan = plans[index]
        if owned[index].count == plan.source.count { return }
        try plan.source.forEachObject { object in
            if owned[index].contains(object.key) { return }
            var isLinked = false
            try object.forEachInverseLink { _, _ in isLinked = true }
            if !isLinked { note(.withoutOwner, object, plan, nil, "the object") }
        }
    }
}

/// The reason why a link has no target.
struct Unlinkable: Error {
    let reason: RealmFileImport.Reason
}
