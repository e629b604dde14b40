import Foundation

/// What one notification says.
struct ChangeRecord {
    var kind = NSKeyValueChange.setting
    /// The values, if asked for; a value that is nil is `.some(nil)`.
    var old: Any??
    var new: Any??
    var indexes: IndexSet?
    var isPrior = false

    /// The record as string-based observers get it, with the null marker for nil.
    var dictionary: [NSKeyValueChangeKey: Any] {
        var dictionary: [NSKeyValueChangeKey: Any] = [.kindKey: kind.rawValue]
        if let old { dictionary[.oldKey] = old ?? NSNull() }
        if let new { dictionary[.newKey] = new ?? NSNull() }
        if let indexes { dictionary[.indexesKey] = indexes }
        if isPrior { dictionary[.notificationIsPriorKey] = true }
        return dictionary
    }
}

/// One registration: who is told of which property, and how.
final class Observation {
    let name: String
    let options: NSKeyValueObservingOptions
    /// The observer and context of a registration by name.
    private(set) weak var observer: AnyObject?
    let context: UnsafeMutableRawPointer?
    let call: (AnyObject, ChangeRecord) -> Void
    var isRemoved = false

    init(
        _ name: String, _ options: NSKeyValueObservingOptions, observer: AnyObject? = nil,
        context: UnsafeMutableRawPointer? = nil, _ call: @escaping (AnyObject, ChangeRecord) -> Void
    ) {
        self.name = name
        self.options = options
        self.observer = observer
        self.context = context
        self.call = call
    }
}

/// The key-value observations of one object or collection. Owned by it, and confined with it.
final class Observations {
    /// What is observed; it owns this.
    private(set) weak var subject: AnyObject?
    private(set) var entries: [Observation] = []
    private let read: (AnyObject, String) -> Any?
    /// Where the observations of a managed object are known by row.
    private weak var anchor: CoreAnchor?
    private let row: RowID?

    init(_ subject: AnyObject, _ core: RealmCore?, _ row: RowID?, read: @escaping (AnyObject, String) -> Any?)
    {
        self.subject = subject
        anchor = core?.anchor
        self.row = row
        self.read = read
    }

    deinit {
        if let row { anchor?.core.observedRows.remove(self, row) }
    }

    var isEmpty: Bool { entries.isEmpty }

    func add(_ observation: Observation) {
        if entries.isEmpty, let row, let core = anchor?.core {
            core.observedRows.add(self, row)
            core.updateDirectStores()
        }
        entries.append(observation)
        guard observation.options.contains(.initial), let subject else { return }
        var record = ChangeRecord()
        if observation.options.contains(.new) { record.new = .some(value(observation.name)) }
        observation.call(subject, record)
    }

    func remove(_ observation: Observation) {
        observation.isRemoved = true
        entries.removeAll { $0 === observation }
        if entries.isEmpty {
            if let row, let core = anchor?.core {
                core.observedRows.remove(self, row)
                core.updateDirectStores()
            }
            (subject as? ObjectBase)?.kivoRow.state &= ~RowReference.observed
        }
    }

    /// A property's value, as observers see it: collections as arrays or dictionaries.
    func value(_ name: String) -> Any? {
        guard let subject else { return nil }
        let value = flatten(read(subject, name))
        return (value as? any AnyAssignableCollection)?.snapshotValue ?? value
    }

    /// Some elements of a collection property.
    func elements(_ name: String, _ indices: [Int]) -> Any? {
        guard let subject, let collection = flatten(read(subject, name)) as? any AnyAssignableCollection
        else {
            return nil
        }
        return collection.elements(at: indices)
    }

    /// Carries out a change of an unmanaged property.
    func changing(_ name: String, _ change: () -> Void) { changing(name, .wholesale, change) }

    /// Carries out a change of an unmanaged collection.
    func changing(_ name: String, _ kind: CollectionChangeKind, _ change: () -> Void) {
        var bracket = ChangeBracket()
        bracket.open(self, name, kind)
        change()
        bracket.close()
    }
}

/// A change of an observed unmanaged object's property, between its halves.
@usableFromInline
final class OpenChange {
    private var bracket = ChangeBracket()

    init(_ object: ObjectBase, _ name: String) {
        if let observations = object.kivoObservations { bracket.open(observations, name) }
    }

    @usableFromInline
    func close() { bracket.close() }
}

/// One change: opened before, closed after. What observers asked for is read at both moments.
struct ChangeBracket {
    private struct Entry {
        let subject: AnyObject
        let observations: Observations
        let observation: Observation
        let kind: CollectionChangeKind
        var record: ChangeRecord
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The half before the change: old values are read, observers with prior are called.
    mutating func open(
        _ observations: Observations, _ name: String, _ kind: CollectionChangeKind = .wholesale
    ) {
        guard let subject = observations.subject else { return }
        let matching = observations.entries.filter { $0.name == name }
        for observation in matching {
            var record = ChangeRecord()
            let wantsOld = observation.options.contains(.old)
            switch kind {
            case .wholesale:
                if wantsOld { record.old = .some(observations.value(name)) }
            case .insertion(let range):
                record.kind = .insertion
                record.indexes = IndexSet(integersIn: range)
            case .scatteredInsertion(let indices):
                record.kind = .insertion
                record.indexes = IndexSet(indices)
            case .removal(let indices):
                record.kind = .removal
                record.indexes = IndexSet(indices)
                if wantsOld { record.old = .some(observations.elements(name, indices)) }
            case .replacement(let indices):
                record.kind = .replacement
                record.indexes = IndexSet(indices)
                if wantsOld { record.old = .some(observations.elements(name, indices)) }
            }
            let entry = Entry(
                subject: subject, observations: observations, observation: observation, kind: kind,
                record: record)
            entries.append(entry)
            if observation.options.contains(.prior), !observation.isRemoved {
                record.isPrior = true
                observation.call(subject, record)
            }
        }
    }

    /// The half after the change: new values are read, observers are called.
    mutating func close() {
        for entry in entries where !entry.observation.isRemoved {
            var record = entry.record
            let name = entry.observation.name
            if entry.observation.options.contains(.new) {
                switch entry.kind {
                case .wholesale: record.new = .some(entry.observations.value(name))
                case .insertion(let range):
                    record.new = .some(entry.observations.elements(name, Array(range)))
                case .scatteredInsertion(let indices), .replacement(let indices):
                    record.new = .some(entry.observations.elements(name, indices))
                case .removal: break
                }
            }
            entry.observation.call(entry.subject, record)
        }
        entries = []
    }
}
