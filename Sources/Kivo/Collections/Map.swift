import KivoEngine

/// A type that the keys of a ``Map`` can have: `String`.
public protocol _MapKey: Hashable, Comparable {
    init(_mapKey: String)
    var _mapKey: String { get }
}

extension String: _MapKey {
    public init(_mapKey: String) { self = _mapKey }
    public var _mapKey: String { self }
}

/// A collection of values by string keys that is a property of an object.
///
/// Keys are in ascending order. A map of a managed object is live and can be changed inside of a write transaction
/// only. Looking up and changing is O(log n) in a managed map. Objects in maps are optional: when one is deleted its
/// key stays, with nil. Keys may not contain `.` or begin with `$`.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    /// A key and its value.
    public typealias Entry = (key: Key, value: Value)

    enum Storage {
        case unmanaged([Key: Value])
        case managed(keys: CollectionReference, values: CollectionReference)
    }

    var storage: Storage
    let parent = CollectionParent()

    /// An empty, unmanaged map.
    public init() { storage = .unmanaged([:]) }

    init(_ object: ObjectBase, _ property: PropertyInfo) {
        storage = .managed(
            keys: CollectionReference(object, property, element: .string),
            values: CollectionReference(object, property, column: property.valuesColumn!))
    }

    init(keys: CollectionReference, values: CollectionReference) {
        storage = .managed(keys: keys, values: values)
    }

    var references: (keys: CollectionReference, values: CollectionReference)? {
        if case .managed(let keys, let values) = storage { (keys, values) } else { nil }
    }

    /// The number of entries. O(1).
    public var count: Int {
        switch storage {
        case .unmanaged(let entries): entries.count
        case .managed(let keys, _): keys.sequence.count
        }
    }

    /// Whether there is no entry. O(1).
    public var isEmpty: Bool { count == 0 }

    /// The keys, ascending.
    public var keys: [Key] {
        switch storage {
        case .unmanaged(let entries): return entries.keys.sorted()
        case .managed(let keys, _):
            var found: [Key] = []
            keys.sequence.forEach { if case .string(let key) = $0 { found.append(Key(_mapKey: key)) } }
            return found
        }
    }

    /// The values, in the order of their keys.
    public var values: [Value] { entries.map(\.value) }

    var entries: [Entry] {
        switch storage {
        case .unmanaged(let entries):
            return entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
        case .managed(_, let values):
            let context = values.context
            var found: [Value] = []
            values.sequence.forEach { found.append(Value._element($0, context)) }
            return zip(keys, found).map { (key: $0, value: $1) }
        }
    }

    /// The value of a key. Assigning nil removes the entry; for optional values, `.some(nil)` stores nil.
    public subscript(key: Key) -> Value? {
        get {
            switch storage {
            case .unmanaged(let entries): return entries[key]
            case .managed(let keys, let values):
                let (position, isEqual) = keys.sequence.lowerBound(.string(key._mapKey))
                guard isEqual else { return nil }
                return Value._loadElement(values.sequence.pointer(at: position), values.context)
            }
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    /// Sets the value of a key, also to an equal one. Traps on a key that contains `.` or begins with `$`.
    public func updateValue(_ value: Value, forKey key: Key) {
        let text = key._mapKey
        if text.contains(".") || text.hasPrefix("$") {
            trap("'\(text)' is no key of a map: keys do not contain '.' or begin with '$'.")
        }
        switch storage {
        case .unmanaged(var entries):
            parent.changing(.wholesale) {
                entries[key] = value
                storage = .unmanaged(entries)
            }
        case .managed(let keys, let values):
            _ = keys.requireTransaction()
            let cell = value._elementCell(values.context)
            let (position, isEqual) = keys.sequence.lowerBound(.string(text))
            keys.change(.wholesale) { transaction in
                if isEqual {
                    transaction.replaceElement(cell, at: position, in: values.id)
                    return
                }
                transaction.insertElement(.string(text), at: position, into: keys.id)
                transaction.insertElement(cell, at: position, into: values.id)
            }
        }
    }

    /// Removes the entry of a key, if there is one.
    public func removeObject(for key: Key) {
        switch storage {
        case .unmanaged(var entries):
            guard entries[key] != nil else { return }
            parent.changing(.wholesale) {
                entries[key] = nil
                storage = .unmanaged(entries)
            }
        case .managed(let keys, let values):
            _ = keys.requireTransaction()
            let (position, isEqual) = keys.sequence.lowerBound(.string(key._mapKey))
            guard isEqual else { return }
            keys.change(.wholesale) { transaction in
                transaction.removeElement(at: position, from: keys.id)
                transaction.removeElement(at: position, from: values.id)
            }
        }
    }

    /// Removes all entries.
    public func removeAll() {
        switch storage {
        case .unmanaged(let entries):
            if entries.isEmpty { return }
            parent.changing(.wholesale) { storage = .unmanaged([:]) }
        case .managed(let keys, let values):
            _ = keys.requireTransaction()
            if keys.sequence.count == 0 { return }
            keys.change(.wholesale) { transaction in
                transaction.removeAllElements(from: keys.id)
                transaction.removeAllElements(from: values.id)
            }
        }
    }

    /// Takes over the entries of a sequence; `combine` decides between two values of one key.
    public func merge<S: Swift.Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in sequence {
            if let current = self[key] {
                updateValue(try combine(current, value), forKey: key)
            } else {
                updateValue(value, forKey: key)
            }
        }
    }

    func assign(_ entries: [Entry]) {
        removeAll()
        for entry in entries { updateValue(entry.value, forKey: entry.key) }
    }
}

extension Map: Swift.Sequence {
    /// Iterates over the entries as they are now, in ascending order of keys.
    public func makeIterator() -> IndexingIterator<[(key: Key, value: Value)]> { entries.makeIterator() }
}

extension Map: Equatable, CustomStringConvertible {
    /// Whether two maps are equal: unmanaged ones by their entries, managed ones if they are the same map of the same
    /// realm instance.
    public static func == (a: Map, b: Map) -> Bool {
        switch (a.storage, b.storage) {
        case (.unmanaged(let x), .unmanaged(let y)): a === b || x == y
        case (.managed(let x, _), .managed(let y, _)): x.core === y.core && x.id == y.id
        default: false
        }
    }

    /// The entries in words.
    public var description: String {
        let lines = entries.map { "\t\"\($0.key._mapKey)\": \(String(describing: $0.value))" }
        return "Map<String, \(Value.self)> (\n\(lines.joined(separator: ",\n"))\n)"
    }
}

extension Map: ThreadConfined {
    /// The realm, or nil for an unmanaged map.
    public var realm: Realm? { references.map { Realm($0.keys.core) } }
    /// Whether the owner was deleted or the realm invalidated.
    public var isInvalidated: Bool { references?.keys.isInvalidated ?? false }
    /// Whether the map is of a frozen realm.
    public var isFrozen: Bool { references?.keys.core.isFrozen ?? false }
    /// The map as it is now, for use on any thread. Traps if unmanaged.
    public func freeze() -> Map { moved { $0.frozen() } }
    /// The live map of the current thread, or nil if its owner is gone there.
    public func thaw() -> Map? {
        let live = moved { $0.thawed() }
        return live.isInvalidated ? nil : live
    }

    private func moved(_ anchor: (RealmCore) -> CoreAnchor) -> Map {
        guard let (keys, values) = references else {
            trap("Cannot freeze or thaw an unmanaged map: add its object to a realm first.")
        }
        let target = anchor(keys.core)
        return Map(
            keys: keys.moved(to: target), values: values.moved(to: target))
    }
}

/// A map as the value of a persisted property.
extension Map: _Persistable {
    public static func _makeDefault() -> Map { Map() }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isCached: Bool { true }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        trap("a map is no scalar")
    }
    public static func _store(_ value: Map, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        unsafeDowncast(Map(owner, owner.kivoContext.info.property(column: property)), to: self)
    }

    public static func _set(_ value: Map, _ owner: ObjectBase, _ property: Int) {
        _get(owner, property).assign(value.entries)
    }

    public static func _adopt(_ value: Map, _ current: Map?) -> Self {
        if let current, current === value { return unsafeDowncast(current, to: self) }
        let map = current?.references == nil ? current ?? Map() : Map()
        map.storage = .unmanaged(
            Dictionary(value.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }))
        return unsafeDowncast(map, to: self)
    }

    public static func _promote(_ value: inout Map?, _ owner: ObjectBase, _ property: Int, _ adder: Adder) {
        guard let map = value else { return }
        let entries = map.entries
        let managed = Map(owner, owner.kivoContext.info.property(bound: property))
        let isSame =
            adder.isComparing
            && managed.entries.elementsEqual(entries, by: { $0.key == $1.key && $0.value == $1.value })
        if !isSame {
            if adder.isReplacing { managed.removeAll() }
            for entry in entries { managed.updateValue(entry.value, forKey: entry.key) }
        }
        if map.references == nil { map.storage = managed.storage } else { value = managed }
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        return unsafeDowncast(Map(), to: self)
    }

    public static func _describe(_ type: inout PropertyType) {
        type.collection = .map
        Value._describeElement(&type)
    }

    public static func _toAny(_ value: Map) -> Any? { value }

    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = flatten(any) else { return unsafeDowncast(Map(), to: self) }
        if let map = any as? Self { return map }
        guard let dictionary = any as? [String: Any] else { return nil }
        let map = Map()
        for (key, value) in dictionary {
            guard let element = Value._elementFromAny(value, CollectionContext(core: nil, elements: nil))
            else {
                return nil
            }
            map.updateValue(element, forKey: Key(_mapKey: key))
        }
        return unsafeDowncast(map, to: self)
    }
}

extension Map: AnyAssignableCollection {
    func assignAny(_ other: Any?) {
        if let other = Map._fromAny(other) { assign(other.entries) }
    }

    var snapshotValue: Any {
        Dictionary(entries.map { ($0.key._mapKey, $0.value as Any) }, uniquingKeysWith: { first, _ in first })
    }

    func elements(at indices: [Int]) -> [Any] { [] }
}
