import KivoEngine

/// The difference between two versions of a realm, as a value: which objects were inserted, deleted and modified, with the old and
/// the new values of each property that differs.
///
///     let before = realm.version
///     …
///     for change in try realm.changes(since: before).of(Dog.self) {
///         print(change.kind, change.old(\.name) ?? "-", change.new(\.name) ?? "-")
///     }
///
/// A change set says what is different, not what was done: an object that was inserted and deleted in between is not in it, nor is a
/// property that has its old value again. Only lists are compared by operations: an element that was removed and inserted again is in
/// both lists. Change sets of consecutive versions compose: `a.followed(by: b)` leads from the first version to the last.
///
/// Objects are identified by class and primary key, or by their key in the realm if their class has no primary key. An object that was
/// deleted and created again with the same primary key is modified. Embedded objects, and lists and dictionaries in values of any type,
/// are part of the object that contains them: they have no changes of their own.
///
/// A change set contains values, not objects: it needs no realm, can be sent to other threads, and can be encoded: see
/// <doc:History>.
public struct ChangeSet: Sendable, Equatable {
    /// The changes by the stored names of the classes. No array is empty. Each is in ascending order of ``Change/object``.
    var byClass: [String: [Change]] = [:]
    /// The number of the data in which keys of objects without a primary key have their meaning; 0 if there is none.
    var lineage: UInt64 = 0

    /// Creates a change set without changes.
    public init() {}

    /// Creates a change set from changes by class, in any order.
    init(_ changes: [String: [Change]], lineage: UInt64) {
        self.lineage = lineage
        byClass = changes.filter { !$0.value.isEmpty }.mapValues { changes in
            // Usually they are in order: primary keys ascend with keys.
            let isOrdered = zip(changes, changes.dropFirst()).allSatisfy { $0.object.precedes($1.object) }
            if isOrdered { return changes }
            // Positions are sorted, because moving changes costs more than comparing them.
            let positions = changes.indices.sorted { changes[$0].object.precedes(changes[$1].object) }
            return positions.map { changes[$0] }
        }
    }

    /// A Boolean value that indicates whether the two versions have equal contents.
    public var isEmpty: Bool { byClass.isEmpty }

    /// The number of objects that differ.
    ///
    /// - Complexity: O(classes that differ).
    public var count: Int { byClass.values.reduce(0) { $0 + $1.count } }

    /// The names of the classes of which objects differ, ascending.
    public var classNames: [String] { byClass.keys.sorted() }

    /// The changes of all classes, in ascending order of class names and then of objects.
    ///
    /// - Complexity: O(changes).
    public var all: [Change] { classNames.flatMap { byClass[$0]! } }

    /// Returns the changes of the objects of a class, in ascending order of the objects.
    ///
    /// - Parameter className: The name of a class as it is stored: ``ObjectBase/className()``.
    /// - Complexity: O(1).
    public func of(className: String) -> [Change] { byClass[className] ?? [] }

    /// Returns the change of an object, or nil if it does not differ.
    ///
    /// - Complexity: O(log n) in the changes of its class.
    public func change(of object: ObjectID) -> Change? {
        let changes = of(className: object.className)
        let index = changes.partitionPoint { $0.object < object }
        return index < changes.count && changes[index].object == object ? changes[index] : nil
    }
}

extension ChangeSet {
    /// The identity of an object: its class, and its primary key if the class has one, or else its key in the realm.
    ///
    /// Two identities with primary keys are equal if class and primary key are, also if they are of different realms. They are ordered
    /// by class, then by primary key or key.
    public struct ObjectID: Sendable, Hashable, Comparable {
        /// The name of the class as it is stored.
        public let className: String
        /// The primary key, or nil if the class has none.
        public let primaryKey: Value?
        /// The number of the object among those of its class, which is never assigned twice in one realm.
        public let key: Int64

        /// Creates the identity of an object.
        public init(className: String, primaryKey: Value? = nil, key: Int64) {
            (self.className, self.primaryKey, self.key) = (className, primaryKey, key)
        }

        /// Returns whether two identities are of one object.
        public static func == (a: ObjectID, b: ObjectID) -> Bool {
            guard a.className == b.className, a.primaryKey == b.primaryKey else { return false }
            return a.primaryKey != nil || a.key == b.key
        }

        /// Hashes the class, and the primary key or the key.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(className)
            if let primaryKey { hasher.combine(primaryKey) } else { hasher.combine(key) }
        }

        /// Orders identities by class, then by primary key or key.
        public static func < (a: ObjectID, b: ObjectID) -> Bool {
            a.className == b.className ? a.precedes(b) : a.className < b.className
        }

        /// Whether the identity comes before another one of the same class.
        func precedes(_ other: ObjectID) -> Bool {
            guard let own = primaryKey, let others = other.primaryKey else {
                return primaryKey == nil && (other.primaryKey != nil || key < other.key)
            }
            return Value.precedes(own, others)
        }
    }

    /// The change of one object.
    public struct Change: Sendable, Equatable {
        /// The kinds of changes.
        public enum Kind: String, Sendable, Codable {
            /// The object exists only in the new version.
            case inserted
            /// The object exists only in the old version.
            case deleted
            /// The object exists in both versions, and some of its properties differ.
            case modified
        }

        /// The kind of the change.
        public let kind: Kind
        /// The identity of the object. If the object was deleted and created again, ``ObjectID/key`` is the new one.
        public let object: ObjectID
        /// The properties that differ, ascending by name; those of an inserted or deleted object are all of its properties.
        public let properties: [Property]

        /// Creates a change from properties in any order.
        init(_ kind: Kind, _ object: ObjectID, _ properties: [Property]) {
            (self.kind, self.object) = (kind, object)
            self.properties = properties.sorted { $0.name < $1.name }
        }

        /// The stored name of the object's class.
        public var className: String { object.className }
        /// The primary key of the object, or nil if its class has none.
        public var primaryKey: Value? { object.primaryKey }

        /// Returns the change of a property, or nil if it does not differ.
        ///
        /// - Parameter name: The name of the property as it is stored.
        /// - Complexity: O(log n) in the properties that differ.
        public func property(_ name: String) -> Property? {
            let index = properties.partitionPoint { $0.name < name }
            return index < properties.count && properties[index].name == name ? properties[index] : nil
        }

        /// Returns the old value of a property; see ``Property/old``.
        public func old(_ name: String) -> Value? { property(name)?.old }

        /// Returns the new value of a property; see ``Property/new``.
        public func new(_ name: String) -> Value? { property(name)?.new }

        /// The names of the properties that differ. For an embedded object they are the paths to its properties that differ, as
        /// `"address.city"`, if the object exists in both versions.
        public var keyPaths: [String] { properties.flatMap(\.keyPaths) }
    }

    /// The change of one property.
    public struct Property: Sendable, Equatable {
        /// The name of the property as it is stored.
        public let name: String
        /// Whether the property is a list, set or dictionary. A value of any type may be one, but is replaced as a whole.
        let isCollection: Bool
        /// The difference of the values.
        let edit: Edit

        /// The forms of differences.
        enum Edit: Sendable, Equatable {
            /// Two whole values. One is nil if the object does not exist in that version.
            case values(old: Value?, new: Value?)
            case list(ListEdits)
            case set(SetEdits)
            case dictionary(DictionaryEdits)
        }

        /// The value in the old version. Nil if the object was inserted, and for a list, set or dictionary that was modified: its
        /// edits contain the elements that differ.
        public var old: Value? { if case .values(let old, _) = edit { old } else { nil } }

        /// The value in the new version. Nil if the object was deleted, and for a list, set or dictionary that was modified.
        public var new: Value? { if case .values(_, let new) = edit { new } else { nil } }

        /// The edits of a list that was modified; nil for other properties.
        public var listEdits: ListEdits? { if case .list(let edits) = edit { edits } else { nil } }

        /// The edits of a set that was modified; nil for other properties.
        public var setEdits: SetEdits? { if case .set(let edits) = edit { edits } else { nil } }

        /// The edits of a dictionary that was modified; nil for other properties.
        public var dictionaryEdits: DictionaryEdits? {
            if case .dictionary(let edits) = edit { edits } else { nil }
        }

        fileprivate var keyPaths: [String] {
            guard case .values(let old?, let new?) = edit else { return [name] }
            return old.paths(to: new).map { $0.isEmpty ? name : "\(name).\($0)" }
        }
    }
}

extension ChangeSet.Value {
    /// Returns the paths to the properties that differ between two embedded objects; an empty path for other values.
    fileprivate func paths(to other: ChangeSet.Value) -> [String] {
        guard case .embedded(let old) = self, case .embedded(let new) = other, old.keys == new.keys else {
            return [""]
        }
        return old.keys.sorted().filter { old[$0] != new[$0] }.flatMap { name in
            old[name]!.paths(to: new[name]!).map { $0.isEmpty ? name : "\(name).\($0)" }
        }
    }
}
