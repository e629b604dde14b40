import KivoEngine

/// A collection of values by string keys that is a property of an object.
///
/// Keys are in ascending order. A map of a managed object is live and can be changed only inside of a write transaction. Objects
/// in maps are optional: when one is deleted its key stays, with nil. Keys may not contain `.` or begin with `$`. Complexities are
/// given for n entries. An unmanaged map is a dictionary, whose keys are sorted when they are read in order.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    /// A key and its value.
    public typealias Entry = (key: Key, value: Value)

    enum Storage {
        case unmanaged([StoredKey<Key>: Value])
        case managed(MapReference)
    }

    var storage: Storage
    let parent = CollectionParent()

    /// Creates an empty, unmanaged map.
    public init() { storage = .unmanaged([:]) }

    init(_ object: ObjectBase, _ property: PropertyInfo) {
        storage = .managed(MapReference(object, property))
    }

    init(keys: CollectionReference, values: CollectionReference) {
        storage = .managed(MapReference(keys: keys, values: values))
    }

    deinit {
        if Value.kindOfElement != .link { return }
        ObjectRelease.release { objects in
            guard case .unmanaged(let entries) = storage else { return }
            for value in entries.values {
                if let object = flatten(value) as? ObjectBase { objects.append(object) }
            }
            storage = .unmanaged([:])
        }
    }

    var references: MapReference? {
        if case .managed(let references) = storage { references } else { nil }
    }

    var context: CollectionContext { references?.values.context ?? .unmanaged }

    /// The number of entries.
    ///
    /// - Complexity: O(1).
    public var count: Int {
        switch storage {
        case .unmanaged(let entries): entries.count
        case .managed(let map): map.keys.sequence.count
        }
    }

    /// A Boolean value that indicates whether the map has no entries.
    ///
    /// - Complexity: O(1).
    public var isEmpty: Bool { count == 0 }

    /// The keys, ascending.
    ///
    /// - Complexity: O(n) in a managed map, O(n log n) in an unmanaged one.
    public var keys: [Key] {
        switch storage {
        case .unmanaged(let entries): return entries.keys.sorted().map(\.key)
        case .managed(let map):
            let keys: [String] = map.keys.elements()
            return keys.unchanged(as: Key.self) ?? keys.map { Key(_mapKey: $0) }
        }
    }

    /// The values, in the order of their keys.
    ///
    /// - Complexity: O(n) in a managed map, O(n log n) in an unmanaged one.
    public var values: [Value] {
        if case .managed(let map) = storage { map.values.elements() } else { entries.map(\.value) }
    }

    var entries: [Entry] {
        switch storage {
        case .unmanaged(let entries):
            if let recorder = parent.recorder, let value: Value = recorder.element(of: self) {
                return [(key: Key(_mapKey: ""), value: value)]
            }
            return entries.sorted { $0.key < $1.key }.map { (key: $0.key.key, value: $0.value) }
        case .managed: return zip(keys, values).map { (key: $0, value: $1) }
        }
    }

    /// Accesses the value of a key. Assigning nil removes the entry; for optional values, `.some(nil)` stores nil.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    /// - Precondition: A managed map is changed in a write transaction. A key to which a value is assigned does not contain `.`
    ///   or begin with `$`.
    public subscript(key: Key) -> Value? {
        get {
            switch storage {
            case .unmanaged(let entries):
                return entries[StoredKey(key)] ?? parent.recorder?.element(of: self)
            case .managed(let map):
                let key = key._mapKey
                let (position, isEqual) = map.keys.sequence.lowerBound(.string(key))
                guard isEqual else { return nil }
                return Value.element(at: map.values.sequence.pointer(at: position), map.values.context)
            }
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }
}

extension Map: Swift.Sequence {
    /// An iterator over the entries that a map had when the iteration began, in ascending order of keys.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let keys: [Key]
        @usableFromInline let values: [Value]
        @usableFromInline var position = 0

        init(keys: [Key], values: [Value]) { (self.keys, self.values) = (keys, values) }

        /// Returns the next entry, or nil at the end.
        ///
        /// - Complexity: O(1).
        @inlinable
        public mutating func next() -> (key: Key, value: Value)? {
            guard position < keys.count else { return nil }
            defer { position += 1 }
            return (keys[position], values[position])
        }
    }

    /// Returns an iterator over the current entries, in ascending order of keys.
    ///
    /// - Complexity: O(n) in a managed map, O(n log n) in an unmanaged one.
    public func makeIterator() -> Iterator {
        if references != nil { return Iterator(keys: keys, values: values) }
        let entries = entries
        return Iterator(keys: entries.map(\.key), values: entries.map(\.value))
    }

    /// The number of entries.
    ///
    /// - Complexity: O(1).
    public var underestimatedCount: Int { count }

    /// Returns whether the map contains an entry: its key, with an equal value.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    public func contains(_ entry: (key: Key, value: Value)) -> Bool { self[entry.key] == entry.value }

    /// Returns the current entries, in the order of their keys.
    ///
    /// - Complexity: O(n) in a managed map, O(n log n) in an unmanaged one.
    public func asKeyValueSequence() -> [(key: Key, value: Value)] { entries }
}

extension Map: Equatable {
    /// Returns whether two maps are equal: unmanaged ones by their entries, managed ones if they are the same map of the same
    /// realm instance.
    ///
    /// - Complexity: O(1) for managed maps, O(n) on average for unmanaged ones.
    public static func == (a: Map, b: Map) -> Bool {
        switch (a.storage, b.storage) {
        case (.unmanaged(let x), .unmanaged(let y)):
            a === b || x.count == y.count && x.allSatisfy { y[$0.key]?.isSame(as: $0.value) ?? false }
        case (.managed(let x), .managed(let y)): x.keys.instance === y.keys.instance && x.keys.id == y.keys.id
        default: false
        }
    }
}

extension Map: ThreadConfined {
    /// The realm, or nil for an unmanaged map.
    public var realm: Realm? { references.map { Realm($0.keys.instance) } }
    /// A Boolean value that indicates whether the owner was deleted or the realm invalidated.
    public var isInvalidated: Bool {
        parent.recorder?.recordInvalidation(of: self)
        return references?.keys.isInvalidated ?? false
    }
    /// A Boolean value that indicates whether the map belongs to a frozen realm.
    public var isFrozen: Bool { references?.keys.instance.isFrozen ?? false }
    /// Returns the current map for use on any thread; inside of a write transaction, the map before it.
    ///
    /// - Complexity: O(1): nothing is copied.
    /// - Precondition: The map is managed and not invalidated, and its owner was not created in the open transaction.
    public func freeze() -> Map {
        let references = managed("freeze")
        return isFrozen ? self : Map(keys: references.keys.frozen(), values: references.values.frozen())
    }
    /// Returns the live map of the current thread, queue or actor, or nil if its owner was deleted there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The map is managed.
    public func thaw() -> Map? {
        let references = managed("thaw")
        guard isFrozen else { return self }
        guard let keys = references.keys.thawed(), let values = references.values.thawed() else { return nil }
        return Map(keys: keys, values: values)
    }

    func managed(_ what: String) -> MapReference {
        guard let references else {
            trap("Cannot \(what) an unmanaged map: add its object to a realm first.")
        }
        return references
    }
}

extension Map: RealmKeyedCollection {}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension Map: BareDeclaration {}

/// A type of keys of a ``Map``: `String`.
public protocol _MapKey: Hashable, Comparable {
    init(_mapKey: String)
    var _mapKey: String { get }
}

extension String: _MapKey {
    public init(_mapKey: String) { self = _mapKey }
    public var _mapKey: String { self }
}

/// A key of an unmanaged map, which is compared by its bytes.
struct StoredKey<Key: _MapKey>: Hashable, Comparable {
    let key: Key

    init(_ key: Key) { self.key = key }

    static func == (a: StoredKey, b: StoredKey) -> Bool { Cell.haveSameBytes(a.key._mapKey, b.key._mapKey) }

    static func < (a: StoredKey, b: StoredKey) -> Bool {
        a.key._mapKey.utf8.lexicographicallyPrecedes(b.key._mapKey.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = key._mapKey
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A map as the value of a persisted property.
extension Map: _Persistable {
    public typealias PersistedType = Map<Key, Value>
    @inlinable public static var _layout: _Layout<Map<Key, Value>> { _Layout(Map<Key, Value>.self) }
    public static var _access: _Access<Map<Key, Value>> { _Access(Map<Key, Value>.self) }
}

extension Map: CollectionProperty {
    @usableFromInline typealias Accessed = Map<Key, Value>
    @usableFromInline var isManaged: Bool { references != nil }
    @usableFromInline func take(_ other: Map) { storage = .unmanaged(Self.stored(other.entries)) }
}

extension Map: CollectionAccess {
    static var kind: CollectionKind { .map }
    static func describeElements(_ type: inout DeclaredType) { Value._access.type.describeElement(&type) }

    convenience init(managed owner: ObjectBase, _ property: Int) {
        self.init(owner, owner.kivoContext.info.property(column: property))
    }

    func promote(_ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) -> Bool {
        let reference = MapReference(owner, owner.kivoContext.info.property(bound: property))
        let context = reference.values.context
        adder.write(entries.map { ($0.key._mapKey, $0.value.cell(in: context)) }, reference)
        return become(managed: reference)
    }

    private func become(managed reference: MapReference) -> Bool {
        if references != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    func record(for owner: ObjectBase) { parent.recorder = owner.kivoRecorder }

    static func made(of any: Any) -> Map? {
        guard let entries = CollectionContents.entries(any) else { return nil }
        let map = Map()
        for (key, value) in entries {
            guard let element = Value.element(from: value) ?? meaningOfNil(value) else {
                return nil
            }
            map.updateValue(element, forKey: Key(_mapKey: key))
        }
        return map
    }
}

extension Map {
    /// Returns the value for nil. Unlike elements of lists, values of types that are stored as objects can be nil.
    private static func meaningOfNil(_ any: Any?) -> Value? {
        guard nonNull(any) == nil, let type = Value.self as? any _Persistable.Type else { return nil }
        func null<T: _Persistable>(_ type: T.Type) -> Any? { T._access.type.fromAny(nil) }
        return null(type) as? Value
    }
}

extension Map: ModelCollection {
    var reference: CollectionReference? { references?.keys }
    package var elementCount: Int { count }

    func beginning(_ limit: Int) -> [(label: String?, element: Any?)] {
        entries.prefix(limit).map { ($0.key._mapKey, $0.value) }
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        references == nil && become(managed: MapReference(owner, property))
    }

    package var snapshotValue: Any {
        Dictionary(entries.map { ($0.key._mapKey, $0.value as Any) }, uniquingKeysWith: { first, _ in first })
    }

    package func elements(at indices: [Int]) -> [Any] { [] }
    package func member(_ value: Any) -> Any? { trapWrongKind() }
    package func edit(_ edit: CollectionEdit) { trapWrongKind() }
}
