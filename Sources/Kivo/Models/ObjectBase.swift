import Foundation
import KivoEngine

/// The common base of ``Object`` and ``EmbeddedObject``.
///
/// Do not derive from it directly. An instance is *unmanaged* until it is added to a realm; then it is a live
/// accessor of one row, confined to its realm's thread or queue.
open class ObjectBase {
    /// Where the row is, for the property hot path.
    @usableFromInline @exclusivity(unchecked) final var kivoRow = RowReference()
    /// What holds the realm, while managed, and counts this accessor. Keeps alive what `kivoRow` points to.
    @exclusivity(unchecked) final private(set) var kivoInstanceOwner: Unmanaged<InstanceOwner>?
    /// The key-value observations of this instance, or its recorder if it records.
    @exclusivity(unchecked) final var kivoAttachment: AnyObject?

    /// Makes an unmanaged instance whose properties have their default values.
    public required init() { if ObservableClasses.contains(type(of: self)) { kivoBeginTracking() } }

    deinit {
        if kivoRow.holdsObjects { kivoReleaseLinks() }
        if kivoRow.state & RowReference.observed != 0 { kivoEndObservations() }
        kivoInstanceOwner?.removeAccessor()
    }

    /// The object in words: `ClassName { … }` with one property per line, linked objects to a limited depth.
    open var description: String { kivoDescription() }

    // MARK: Declarations

    /// The name of the property by whose value objects of the class are told apart in a realm, or nil.
    ///
    /// The default is the one that is declared `@Persisted(primaryKey: true)`. An override names another where none is
    /// declared. Asked once.
    open class func primaryKey() -> String? { Registry.declaration(of: self).primaryKey }

    /// The names of the properties whose values are indexed, so that queries for equality do not scan.
    ///
    /// The default are those that are declared `@Persisted(indexed: true)`; what an override names comes in addition.
    /// Asked once.
    open class func indexedProperties() -> [String] { Registry.declaration(of: self).indexed }

    /// The names of properties that are no part of the model.
    ///
    /// The default are those that are declared ``Ignored``. Of properties without a wrapper those are part of the model that
    /// hold a collection, ``LinkingObjects`` or a `RealmProperty`, unless an override names them. What is declared `@Persisted` is
    /// part of the model also where an override names it. Asked once.
    open class func ignoredProperties() -> [String] { Registry.declaration(of: self).ignored }

    /// The names under which properties are stored, where they differ from those in the class: property to stored name.
    ///
    ///     override class func propertiesMapping() -> [String: String] { ["firstName": "first_name"] }
    ///
    /// Key paths, queries, changes and values by name use the names of the class. The default is what `_realmColumnNames()`
    /// says, so none. Asked once.
    open class func propertiesMapping() -> [String: String] { _realmColumnNames() ?? [:] }

    /// An older name of ``propertiesMapping()``, which goes by it unless it is overridden itself.
    open class func _realmColumnNames() -> [String: String]? { nil }

    /// The name of the class in a realm, if that is not the one of the Swift class; else nil, the default.
    ///
    ///     override class func _realmObjectName() -> String? { "Person" }
    ///
    /// Files, ``ObjectBase/className()`` and everything that takes the name of a class go by it. A class that is given another
    /// name in Swift keeps its objects by saying here what it was called before. Always the same; it may be asked often.
    open class func _realmObjectName() -> String? { nil }

    /// Whether a realm whose configuration names no `objectTypes` can hold objects of the class. The default is true.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    // MARK: Rules of key-value observing

    /// The key paths on which a key's value depends, relative to the object: when one of them changes, observers of the
    /// key are told. Override it for computed properties; dependencies may themselves be computed, lead through links,
    /// and run in circles.
    ///
    /// The default is what ``setKeys(_:triggerChangeNotificationsForDependentKey:)`` declared.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        kivoDeclaredDependencies(ofKey: key)
    }

    /// Whether assignments to a key are told to observers without being announced by ``willChangeValue(forKey:)`` and
    /// ``didChangeValue(forKey:)``. The default is true. Asked when the key is first observed on an object.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    /// The computed properties of the class that can be read, set and observed by name. The default is none.
    ///
    ///     override class func computedProperties() -> [String: AnyKeyPath] { ["fullName": \Person.fullName] }
    ///
    /// Swift has no way to find them by itself. Typed key paths need no name. Asked once.
    open class func computedProperties() -> [String: AnyKeyPath] { [:] }

    // MARK: Key-value coding

    /// The value of a key.
    ///
    /// Collections are returned live, of enums the raw value, of mapped types the stored one; `"self"` is the object. An
    /// unknown key goes to ``value(forUndefinedKey:)``.
    open func value(forKey key: String) -> Any? { kivoValue(forKey: key) }

    /// Sets the value of a key.
    ///
    /// Numbers are converted to the property's type, the null marker is nil; an array given to a collection replaces its
    /// elements. Nil for a property that is not optional goes to ``setNilValueForKey(_:)``, an unknown key to
    /// ``setValue(_:forUndefinedKey:)``. Traps if the value does not fit, and for a managed object outside of a write
    /// transaction.
    open func setValue(_ value: Any?, forKey key: String) { kivoSetValue(value, forKey: key) }

    /// The value of a key path: keys with dots between them, through links and collections, with collection operators.
    /// Nil where the path is broken.
    open func value(forKeyPath keyPath: String) -> Any? { kivoValue(forKeyPath: keyPath) }

    /// Sets the value of the last key of a key path, of what the rest of it leads to; nothing if that is nil.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { kivoSetValue(value, forKeyPath: keyPath) }

    /// Called for a key that the class does not have. The default traps.
    open func value(forUndefinedKey key: String) -> Any? {
        trap(
            """
            Class '\(kivoInfo.name)' has no key '\(key)': it is undefined. Name computed properties in \
            'computedProperties()', or override 'value(forUndefinedKey:)'.
            """)
    }

    /// Called to set a key that the class does not have. The default traps.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        trap(
            """
            Class '\(kivoInfo.name)' has no key '\(key)' that can be set: it is undefined. Name computed properties in \
            'computedProperties()', or override 'setValue(_:forUndefinedKey:)'.
            """)
    }

    /// Called to set nil for a key whose property is not optional. The default traps.
    open func setNilValueForKey(_ key: String) {
        trap(
            """
            Nil is an invalid argument for key '\(key)' of class '\(kivoInfo.name)', which is not optional: override \
            'setNilValueForKey(_:)' to give it a meaning.
            """)
    }

    /// The values of some keys, with the null marker for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets the values of some keys, in ascending order of the keys; the null marker is nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
            setValue(value is NSNull ? nil : value, forKey: key)
        }
    }

    /// A live array for the elements of an ordered property: what is done to it is done to the property, and told to its
    /// observers, once for each operation and with positions.
    ///
    /// The property is a ``List`` or an `NSMutableArray`, which are changed where they are, or an array, of which a new one
    /// is set; nil counts as an empty one, and is replaced. The proxy reads its object anew on each use. Changing it traps
    /// if the property cannot be set or holds something else.
    open func mutableArrayValue(forKey key: String) -> NSMutableArray {
        kivoMutableArray(forKey: key)
    }

    /// A live array for the elements of an ordered property at the end of a key path; see ``mutableArrayValue(forKey:)``.
    /// Traps if the path is broken.
    open func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        kivoMutableArray(forKeyPath: keyPath)
    }

    /// A live set for the members of a property: what is done to it is done to the property, and told to its observers,
    /// once for each operation.
    ///
    /// The property is a ``MutableSet`` or an `NSMutableSet`, which are changed where they are, or a set, of which a new one
    /// is set; nil counts as an empty one, and is replaced. The proxy reads its object anew on each use. Changing it traps
    /// if the property cannot be set or holds something else.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        kivoMutableSet(forKey: key)
    }

    /// A live set for the members of a property at the end of a key path; see ``mutableSetValue(forKey:)``. Traps if the
    /// path is broken.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        kivoMutableSet(forKeyPath: keyPath)
    }

    /// The realm, while managed.
    final var kivoInstance: RealmInstance? {
        kivoInstanceOwner.map { $0._withUnsafeGuaranteedRef(\.instance) }
    }

    /// Has this fresh instance keep a realm alive.
    final func kivoHold(_ instanceOwner: Unmanaged<InstanceOwner>) {
        assert(kivoInstanceOwner == nil, "an accessor belongs to one realm")
        instanceOwner.addAccessor()
        kivoInstanceOwner = instanceOwner
    }

    /// The class's table in the realm; only while managed. Owned by the realm.
    final var kivoContext: TableContext { kivoRow.context!.takeUnretainedValue() }
}

/// An accessor's cached address of its row.
///
/// Unmanaged while `columns` is nil. The addresses, and `writer`, are valid while `generation` equals the first word of
/// `reader`, which the realm counts up whenever a leaf may have moved or the row begins to be observed; the realm keeps
/// reader and snapshot alive, the accessor keeps the realm alive.
@usableFromInline
struct RowReference {
    @usableFromInline var columns: UnsafeMutablePointer<UnsafeMutableRawPointer>?
    @usableFromInline var slot = 0
    @usableFromInline var generation: UInt64 = 0
    /// The number of the open write transaction if values of the row may be stored directly, else 0.
    @usableFromInline var writer: UInt64 = 0
    @usableFromInline var reader: UnsafeMutablePointer<UInt64>?
    /// 0 for an unmanaged object without observers: the only state in which a plain store is all there is to do.
    @usableFromInline var state: UInt8 = RowReference.plain
    /// Whether an unmanaged object was given another to hold.
    @usableFromInline var holdsObjects = false
    var key: ObjectKey = 0
    var context: Unmanaged<TableContext>?

    init() {}

    @inlinable static var plain: UInt8 { 0 }
    /// Somebody observes a key of this instance.
    @inlinable static var observed: UInt8 { 1 }
    @inlinable static var managed: UInt8 { 2 }
    @inlinable static var recording: UInt8 { 4 }
    /// Somebody who observes a key of this instance has something to do before it changes.
    @inlinable static var observedBefore: UInt8 { 8 }
    /// The class is `Observable`: reads take the long way, where they are noted. Its address is never that of what the fast
    /// way looks for.
    @inlinable static var tracked: UInt8 { 16 }
}

extension ObjectBase {
    /// Whether the object lives in a realm (or did, before it was invalidated).
    final var isManaged: Bool { kivoRow.state & RowReference.managed != 0 }

    /// Traps unless the managed object may be used here and now.
    @inlinable @inline(__always)
    final func kivoCheckThread() {
        if kivoRow.reader.unsafelyUnwrapped[ReaderState.thread] != CurrentThread.number { _ = isConfined }
    }

    /// Traps unless a property of the managed object may be read here and now: in debug builds, and in all with the trait
    /// `CheckedReads`.
    @inlinable @inline(__always)
    final func kivoCheckRead() {
        #if CheckedReads
        kivoCheckThread()
        #else
        assert(isConfined)
        #endif
    }

    /// Checks as each read does with the trait `CheckedReads`. For measuring what that costs.
    @inlinable
    public final func _checkRead() { if kivoRow.columns != nil { kivoCheckThread() } }

    /// Traps unless the object may be used here and now; true otherwise.
    @inline(never) @usableFromInline
    final var isConfined: Bool {
        kivoInstance?.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        return true
    }

    /// Whether the properties of this instance may keep the collections they hand out: not those of a frozen object,
    /// which is read from many threads, nor those of a recorder.
    @inline(never) @usableFromInline
    final var isKeepingCollections: Bool { isManaged && kivoInstance?.isFrozen == false }

    /// Brings the cached addresses up to date; returns whether the object still exists.
    final func locate() -> Bool {
        guard let instance = kivoInstance else { return false }
        // What is frozen stays where it is, and is read from many threads.
        if instance.isFrozen { return true }
        instance.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        guard !instance.isInvalidated(kivoRow),
            let (leaf, slot) = instance.table(kivoContext.table).locate(kivoRow.key)
        else { return false }
        kivoRow.columns = leaf.columns
        kivoRow.slot = slot
        kivoRow.generation = instance.reader[ReaderState.generation]
        kivoRow.writer = instance.directWriter(kivoContext.table, kivoRow.key)
        return true
    }

    /// As ``locate()``, but traps if the object is gone.
    final func locateOrTrap() {
        if isManaged { kivoCheckThread() }
        if kivoRow.generation == kivoRow.reader?[ReaderState.generation] { return }
        if kivoRow.state & RowReference.tracked != 0, let instance = kivoInstance,
            kivoRow.generation == instance.reader[ReaderState.generation]
        {
            return
        }
        if !locate() {
            trap(
                """
                An object of class '\(kivoContext.info.name)' has been deleted or its realm was invalidated: \
                check 'isInvalidated' before using it.
                """)
        }
    }

    /// Makes this fresh instance the accessor of a row.
    final func attach(_ context: TableContext, key: ObjectKey, leaf: Leaf, slot: Int) {
        context.info.bind(self)
        let transfer = kivoAttachment == nil ? nil : kivoObservations?.end()
        if kivoAttachment != nil { kivoAttachment = nil }
        kivoHold(context.instanceOwner)
        kivoRow.context = Unmanaged.passUnretained(context)
        kivoRow.reader = context.accessorReader
        context.point(&kivoRow, key, leaf, slot)
        kivoRow.state = context.accessorState
        kivoRow.holdsObjects = false
        if let transfer { kivoMakeObservations().takeOver(transfer) }
    }
}
