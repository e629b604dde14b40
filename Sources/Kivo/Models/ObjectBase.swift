import Foundation
import KivoEngine

/// The common base of ``Object`` and ``EmbeddedObject``.
///
/// Do not derive from it directly. An instance is *unmanaged* until it is added to a realm; then it is a live
/// accessor of one row, confined to its realm's thread or queue.
nonisolated open class ObjectBase {
    /// The address of the row, for the property hot path.
    @usableFromInline @exclusivity(unchecked) final var kivoRow = RowReference()
    @usableFromInline @exclusivity(unchecked) final var kivoState = ObjectState()
    /// Whether an unmanaged object holds, or has held, a reference to another object.
    @usableFromInline @exclusivity(unchecked) final var kivoHoldsObjects = false
    /// The context of the class's table, while the object is managed. The realm instance owns it.
    @exclusivity(unchecked) final var kivoTableContext: Unmanaged<TableContext>?
    /// The owner of the realm instance, while the object is managed. It counts this accessor, and keeps alive the memory that
    /// `kivoRow` points to.
    @exclusivity(unchecked) final private(set) var kivoInstanceOwner: Unmanaged<InstanceOwner>?
    /// The key-value observations of this instance, or its recorder if it records.
    @exclusivity(unchecked) final var kivoAttachment: AnyObject?

    /// Creates an unmanaged instance whose properties have their default values.
    public required init() { if ObservableClasses.contains(type(of: self)) { kivoBeginTracking() } }

    deinit {
        if kivoHoldsObjects { kivoReleaseLinks() }
        if kivoState.contains(.observed) { kivoEndObservations() }
        kivoInstanceOwner?.removeAccessor()
    }

    /// A textual description of the object: `ClassName { … }` with one property per line, and linked objects to a limited depth.
    open var description: String { kivoDescription() }

    // MARK: Equality

    /// Returns whether another object equals this one. `==`, `contains(_:)` and `index(of:)` ask this method.
    ///
    /// The default is whether both are the same instance or, for classes with a primary key and for frozen objects, the same row. An
    /// unmanaged object never equals a managed one. A subclass that overrides this method overrides ``hash`` as well:
    ///
    ///     override func isEqual(_ object: Any?) -> Bool { (object as? Token)?.contract == contract }
    ///     override var hash: Int { contract.hashValue }
    ///
    /// Sets of a realm, links and conditions compare rows nevertheless. Do not override it if the properties that it reads may
    /// change while the object is in a `Set` or is the key of a dictionary.
    open func isEqual(_ object: Any?) -> Bool {
        (flatten(object) as? ObjectBase).map { kivoIsEqual($0) } ?? false
    }

    /// A hash that is equal for objects that are equal by ``isEqual(_:)``.
    ///
    /// A property that is called `hash` in a file has another name in its class; see ``propertiesMapping()``.
    open var hash: Int { kivoHash }

    // MARK: Declarations

    /// Returns the name of the primary key, or nil if there is none. The key's value identifies an object among those of its
    /// class in a realm.
    ///
    /// The default is the property that is declared `@Persisted(primaryKey: true)`. An override can name another property if none
    /// is declared. Called once per class.
    open class func primaryKey() -> String? { Registry.declaration(of: self).primaryKey }

    /// Returns the names of the properties whose values are indexed, so that queries for equality do not scan.
    ///
    /// By default these are the properties that are declared `@Persisted(indexed: true)`. The names that an override returns are
    /// added to them. Called once per class.
    open class func indexedProperties() -> [String] { Registry.declaration(of: self).indexed }

    /// Returns the names of the properties that are not part of the model.
    ///
    /// By default these are the properties that are declared ``Ignored``. Properties without a wrapper are part of the model if
    /// they hold a collection, ``LinkingObjects`` or a `RealmProperty`, unless an override names them. Properties that are
    /// declared `@Persisted` are part of the model even if an override names them. Called once per class.
    open class func ignoredProperties() -> [String] { Registry.declaration(of: self).ignored }

    /// Returns the names under which properties are stored, if they differ from the names in the class: property to stored name.
    ///
    ///     override class func propertiesMapping() -> [String: String] { ["firstName": "first_name"] }
    ///
    /// Key paths, queries, changes and values by name use the names of the class. The default is the result of
    /// `_realmColumnNames()`, which is empty by default. Called once per class.
    open class func propertiesMapping() -> [String: String] { _realmColumnNames() ?? [:] }

    /// Returns the names under which properties are stored. An older name of ``propertiesMapping()``, whose default
    /// implementation calls this.
    open class func _realmColumnNames() -> [String: String]? { nil }

    /// Returns the name of the class in a realm, or nil if it is the name of the Swift class. The default is nil.
    ///
    ///     override class func _realmObjectName() -> String? { "Person" }
    ///
    /// Files, ``ObjectBase/className()`` and all functions that take the name of a class use this name. To rename a Swift class
    /// and keep its stored objects, return the old name here. The result must always be the same; this function may be called
    /// often.
    open class func _realmObjectName() -> String? { nil }

    /// Returns whether a realm whose configuration names no `objectTypes` can hold objects of the class. The default is true.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    // MARK: Rules of key-value observing

    /// Returns the key paths on which a key's value depends, relative to the object. A change of one of them notifies the
    /// observers of the key.
    ///
    /// Override it for computed properties. Dependencies may themselves be computed, lead through links, and be circular. By
    /// default these are the dependencies that
    /// ``KeyValueObservable/setKeys(_:triggerChangeNotificationsForDependentKey:)`` declared.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }

    /// Returns whether assignments to a key notify observers without calls to ``KeyValueObservable/willChangeValue(forKey:)`` and
    /// ``KeyValueObservable/didChangeValue(forKey:)``. The default is true. Called when the key is first observed on an object.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    /// Returns the computed properties of the class that can be read, set and observed by name. The default is none.
    ///
    ///     override class func computedProperties() -> [String: AnyKeyPath] { ["fullName": \Person.fullName] }
    ///
    /// Swift cannot find computed properties by reflection. Typed key paths need no name. Called once per class.
    open class func computedProperties() -> [String: AnyKeyPath] { [:] }

    // MARK: Key-value coding

    /// Returns the value of a key.
    ///
    /// Collections are returned live, enums as their raw value and mapped types as the stored value; `"self"` is the object. An
    /// unknown key is forwarded to ``value(forUndefinedKey:)``.
    open func value(forKey key: String) -> Any? { kivoValue(forKey: key) }

    /// Sets the value of a key.
    ///
    /// Numbers are converted to the property's type, and the null marker is nil. An array assigned to a collection replaces its
    /// elements. Nil for a property that is not optional is forwarded to ``setNilValueForKey(_:)``, an unknown key to
    /// ``setValue(_:forUndefinedKey:)``.
    ///
    /// - Precondition: The value fits the property, and a managed object's realm is in a write transaction.
    open func setValue(_ value: Any?, forKey key: String) { kivoSetValue(value, forKey: key) }

    /// Returns the value of a key path: keys separated by dots, through links and collections, with collection operators. Returns
    /// nil if a link on the way is nil.
    open func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(ofObject: self, forKeyPath: keyPath)
    }

    /// Sets the value of the last key of a key path on the object that the other keys lead to. Does nothing if that object is
    /// nil.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyValueCoding.setValue(value, ofObject: self, forKeyPath: keyPath)
    }

    /// Handles a read of a key that the class does not have.
    ///
    /// - Precondition: A subclass overrides this method. The default traps.
    open func value(forUndefinedKey key: String) -> Any? {
        trap(
            """
            Class '\(kivoInfo.name)' has no key '\(key)': it is undefined. Name computed properties in \
            'computedProperties()', or override 'value(forUndefinedKey:)'.
            """)
    }

    /// Handles an assignment to a key that the class does not have.
    ///
    /// - Precondition: A subclass overrides this method. The default traps.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        trap(
            """
            Class '\(kivoInfo.name)' has no key '\(key)' that can be set: it is undefined. Name computed properties in \
            'computedProperties()', or override 'setValue(_:forUndefinedKey:)'.
            """)
    }

    /// Handles an assignment of nil to a key whose property is not optional.
    ///
    /// - Precondition: A subclass overrides this method. The default traps.
    open func setNilValueForKey(_ key: String) {
        trap(
            """
            Nil is an invalid argument for key '\(key)' of class '\(kivoInfo.name)', which is not optional: override \
            'setNilValueForKey(_:)' to give it a meaning.
            """)
    }

    /// Returns the values of some keys, with the null marker for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets the values of some keys, in ascending order of the keys; the null marker is nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
            setValue(value is NSNull ? nil : value, forKey: key)
        }
    }

    /// Returns a live array of the elements of an ordered property. Each operation on the array changes the property, and
    /// notifies the property's observers once, with positions.
    ///
    /// The property is a ``List`` or an `NSMutableArray`, which are changed in place, or an array, which is replaced by a new
    /// array. Nil counts as an empty array, and is replaced. The proxy reads the property of its object again on each use.
    ///
    /// - Precondition: The property can be set and has no value of another type when the proxy is changed.
    open func mutableArrayValue(forKey key: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, key))
    }

    /// Returns a live array of the elements of an ordered property at the end of a key path; see ``mutableArrayValue(forKey:)``.
    ///
    /// - Precondition: No link on the way is nil.
    open func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, path: keyPath))
    }

    /// Returns a live set of the members of a property. Each operation on the set changes the property, and notifies the
    /// property's observers once.
    ///
    /// The property is a ``MutableSet`` or an `NSMutableSet`, which are changed in place, or a set, which is replaced by a new
    /// set. Nil counts as an empty set, and is replaced. The proxy reads the property of its object again on each use.
    ///
    /// - Precondition: The property can be set and has no value of another type when the proxy is changed.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        KeyValueMutableSet(KeyValueSlot(self, key))
    }

    /// Returns a live set of the members of a property at the end of a key path; see ``mutableSetValue(forKey:)``.
    ///
    /// - Precondition: No link on the way is nil.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        KeyValueMutableSet(KeyValueSlot(self, path: keyPath))
    }

    /// The realm instance, while the object is managed.
    final var kivoInstance: RealmInstance? {
        kivoInstanceOwner.map { $0._withUnsafeGuaranteedRef(\.instance) }
    }

    /// Makes this new instance retain the owner of a realm instance, which counts it as an accessor.
    final func kivoHold(_ instanceOwner: Unmanaged<InstanceOwner>) {
        assert(kivoInstanceOwner == nil, "an accessor belongs to one realm")
        instanceOwner.addAccessor()
        kivoInstanceOwner = instanceOwner
    }

    /// The context of the class's table in the realm.
    ///
    /// - Precondition: The object is managed.
    final var kivoContext: TableContext { kivoTableContext!.takeUnretainedValue() }
}

/// The states of an object that decide which path a read or an assignment takes. Empty for an unmanaged object without observers,
/// the only one for which an assignment is just a store.
@usableFromInline
struct ObjectState: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A key of this instance is observed.
    @inlinable static var observed: ObjectState { ObjectState(rawValue: 1) }
    @inlinable static var managed: ObjectState { ObjectState(rawValue: 2) }
    @inlinable static var recording: ObjectState { ObjectState(rawValue: 4) }
    /// An observer of a key of this instance has to run before the key changes.
    @inlinable static var observedBefore: ObjectState { ObjectState(rawValue: 8) }
    /// The class is `Observable`. Reads take the slow path, which records them, because the row's reader is a placeholder whose
    /// generation never matches.
    @inlinable static var tracked: ObjectState { ObjectState(rawValue: 16) }
}

extension ObjectBase {
    /// Whether the object belongs to a realm, or did until it was invalidated.
    final var isManaged: Bool { kivoState.contains(.managed) }

    /// Traps unless the managed object may be used on the current thread, queue or actor.
    @inlinable @inline(__always)
    final func kivoCheckThread() {
        if kivoRow.reader.unsafelyUnwrapped.pointee.thread != CurrentThread.number { _ = isConfined }
    }

    /// Traps unless a property of the managed object may be read on the current thread, queue or actor. Checks in debug builds,
    /// and in all builds with the trait `CheckedReads`.
    @inlinable @inline(__always)
    final func kivoCheckRead() {
        #if CheckedReads
        kivoCheckThread()
        #else
        assert(isConfined)
        #endif
    }

    /// Makes the check that each read makes with the trait `CheckedReads`, to measure its cost.
    @inlinable
    public final func _checkRead() { if kivoRow.columns != nil { kivoCheckThread() } }

    /// True if the object may be used on the current thread, queue or actor; traps otherwise.
    @inline(never) @usableFromInline
    final var isConfined: Bool {
        kivoInstance?.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        return true
    }

    /// Whether the properties of this instance may cache the collections that they return. False for a frozen object, which is
    /// read from many threads, and for a recorder.
    @inline(never) @usableFromInline
    final var isKeepingCollections: Bool { isManaged && kivoInstance?.isFrozen == false }

    /// Updates the cached addresses; returns whether the object still exists.
    final func locate() -> Bool {
        guard let instance = kivoInstance else { return false }
        // A frozen object's row never moves, and many threads read it.
        if instance.isFrozen { return true }
        instance.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        guard !instance.isInvalidated(kivoRow),
            let (leaf, slot) = instance.table(kivoContext.table).locate(kivoRow.key)
        else { return false }
        kivoRow.point(
            to: slot, of: leaf, at: instance.reader.pointee.generation,
            writer: instance.directWriter(kivoContext.table, kivoRow.key))
        return true
    }

    /// Updates the cached addresses like ``locate()``, but traps if the object no longer exists.
    final func locateOrTrap() {
        if isManaged { kivoCheckThread() }
        if kivoRow.generation == kivoRow.reader?.pointee.generation { return }
        if kivoState.contains(.tracked), let instance = kivoInstance,
            kivoRow.generation == instance.reader.pointee.generation
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

    /// Makes this new instance the accessor of a row.
    final func attach(_ context: TableContext, key: ObjectKey, leaf: Leaf, slot: Int) {
        context.info.bind(self)
        let transfer = kivoAttachment == nil ? nil : kivoObservations?.end()
        if kivoAttachment != nil { kivoAttachment = nil }
        kivoHold(context.instanceOwner)
        kivoTableContext = Unmanaged.passUnretained(context)
        kivoRow.reader = context.accessorReader
        context.point(&kivoRow, key, leaf, slot)
        kivoState = context.accessorState
        kivoHoldsObjects = false
        if let transfer { kivoMakeObservations().takeOver(transfer) }
    }
}
