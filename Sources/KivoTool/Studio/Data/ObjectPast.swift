import Kivo
import KivoEngine
import KivoJournal

/// The past of one object, gathered while the commits of a file are read in order.
///
/// The object is followed by its primary key, because it may have been deleted, and inserted again with another key. An object without
/// one is followed by its key.
struct ObjectPast: Sendable {
    /// The value of the primary key, and the type of its property.
    struct Identity: Equatable, Sendable {
        var value: Cell
        var typeCode: UInt8
    }

    /// The number of the newest changes that are kept.
    static let largestCount = 200

    private let className: String
    /// The numbers of the commits whose changes are kept.
    let numbers: Range<UInt64>
    private(set) var identity: Identity?
    /// The key of the object; of one that is deleted, the last one.
    private var key: ObjectKey
    private var exists = false
    /// The class in the version that was read last, with the number of tables of that version.
    private var known: (some: StoredClass, tables: Int)?
    /// The values of the object when it was last changed, without collections. A migration is compared with them, because the version
    /// before it has other classes.
    private var values: [String: StoredValue] = [:]
    /// The newest changes in the order of the commits, each as JSON.
    private var entries: [JSONText] = []
    /// The number of all changes.
    private var count = 0
    /// The number of the commit that was read last.
    private var number: UInt64 = 0
    /// The number of the commit with which the file begins, if the object existed before.
    private var beginning: UInt64?

    init(className: String, key: ObjectKey, _ identity: Identity?, in numbers: Range<UInt64>) {
        (self.className, self.key, self.identity, self.numbers) = (className, key, identity, numbers)
    }

    /// Returns the past of the object with a primary key, before anything is read.
    func identified(by identity: Identity) -> ObjectPast {
        var past = self
        past.identity = identity
        return past
    }

    /// Returns the primary key of an object; nil if its class has none, or the object does not exist.
    static func identity(
        of key: ObjectKey, _ some: StoredClass, _ values: StoredValues
    ) -> ObjectPast.Identity? {
        let table = values.snapshot.table(some.table)
        guard let spec = some.properties.first(where: \.spec.isPrimaryKey), table.contains(key) else {
            return nil
        }
        return Identity(
            value: table.cell(key, spec.column, spec.spec.kind), typeCode: spec.spec.typeCode)
    }

    // MARK: Reading

    /// Begins with a version whose changes are not read.
    ///
    /// - Parameter number: The number of its commit, if the file has none before.
    mutating func begin(_ values: StoredValues, number: UInt64?) {
        self.number = number ?? self.number
        guard let some = someClass(values.catalog) else { return }
        locate(some, values)
        note(some, values)
        if exists { beginning = number }
    }

    /// Reads the changes of a commit.
    mutating func read(
        _ changes: RowChangeSet, from old: StoredValues, to new: StoredValues, number: UInt64,
        _ stamp: CommitStamp?
    ) {
        self.number = number
        guard !changes.isEmpty, let some = someClass(new.catalog) else { return }
        let before = exists ? key : nil
        if let table = changes.table(some.table), before.map({ table.state(of: $0) == .deleted }) ?? true {
            locate(some, new)
        }
        let after = exists ? key : nil
        for key in before == after ? [after] : [before, after] {
            guard let key else { continue }
            let change = CommitChanges.ClassChange(changes, of: key, some, from: old, to: new)
            if change.isEmpty { continue }
            for value in change.modified.first?.values ?? [] { values[value.name] = value.new }
            if !change.inserted.isEmpty { note(some, new) }
            append(change, number, stamp)
        }
    }

    /// Reads the version after a migration, in which the object may have other properties.
    mutating func migrate(_ new: StoredValues, number: UInt64, _ stamp: CommitStamp?) {
        self.number = number
        known = nil
        let (existed, old) = (exists, values)
        guard let some = someClass(new.catalog) else {
            exists = false
            return
        }
        locate(some, new)
        note(some, new)
        if !existed, !exists { return }
        let changed = Set(old.keys).union(values.keys).sorted().filter { old[$0] != values[$0] }
        if existed, exists, changed.isEmpty { return }
        var change = CommitChanges.Modification(key: key)
        change.values = changed.map { ($0, old[$0] ?? .null, values[$0] ?? .null) }
        let row = (key: key, values: change.values.map { ($0.name, existed ? $0.old : $0.new) })
        var whole = CommitChanges.ClassChange(name: className)
        if existed, exists { whole.modified = [change] }
        if !existed { whole.inserted = [row] }
        if !exists { whole.deleted = [row] }
        append(whole, number, stamp)
    }

    private mutating func someClass(_ catalog: Catalog) -> StoredClass? {
        if let known, known.tables == catalog.tables.count { return known.some }
        guard let table = catalog.table(named: className), catalog.tables[table].isDefined else { return nil }
        known = (StoredClass(table, catalog), catalog.tables.count)
        return known!.some
    }

    /// Finds the object in a version. O(log n).
    private mutating func locate(_ some: StoredClass, _ values: StoredValues) {
        let table = values.snapshot.table(some.table)
        exists = table.contains(key)
        guard let property = some.properties.first(where: \.spec.isPrimaryKey) else { return }
        if identity == nil { identity = ObjectPast.identity(of: key, some, values) }
        // A migration may have given the class another primary key.
        guard let identity, identity.typeCode == property.spec.typeCode else { return }
        let spec = values.catalog.tables[some.table]
        guard let found = table.keys(where: property.column, equals: identity.value, spec).first else {
            exists = false
            return
        }
        (key, exists) = (found, true)
    }

    /// Notes the values of the object.
    private mutating func note(_ some: StoredClass, _ new: StoredValues) {
        values = [:]
        guard exists else { return }
        for property in some.properties where property.collection == nil {
            values[property.name] = new.value(property, some.table, key)
        }
    }

    // MARK: Changes

    private mutating func append(
        _ change: CommitChanges.ClassChange, _ number: UInt64, _ stamp: CommitStamp?
    ) {
        if !numbers.contains(number) { return }
        count += 1
        var json = JSONText()
        json.object { json in
            json.member("number", Int(clamping: number))
            json.members(of: stamp)
            change.write(to: &json, .cell)
        }
        entries.append(json)
        // Removed in bulk, because the array moves.
        if entries.count > 2 * ObjectPast.largestCount {
            entries.removeFirst(entries.count - ObjectPast.largestCount)
        }
    }

    /// Writes the newest changes, the newest first, and how many there are before them.
    func write(to json: inout JSONText) {
        let newest = entries.suffix(ObjectPast.largestCount)
        json.member("commit", Int(clamping: number))
        json.member("earlier", count - newest.count)
        json.member("beginning", beginning.map { Int(clamping: $0) })
        json.name("changes")
        json.array { json in for entry in newest.reversed() { json.value(entry) } }
    }
}
