import KivoEngine

/// The objects that link to an object through one property: the inverse of links, computed and always up to date.
///
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
///
/// An object appears once for each of its references, in the order in which the origins were created. The collection is never
/// stored and never assigned, and it is empty for an unmanaged object. Reading by position is O(log n). For an object whose class
/// is `Observable`, reads inside of `withObservationTracking` are recorded, like those of results.
@frozen
public struct LinkingObjects<Element: ObjectBase> {
    @usableFromInline
    enum Origin {
        /// A declaration, or a property of an unmanaged object, with the name of the property that is followed backwards.
        case declared(String)
        case managed(LinkTarget)
        /// A property of a recording instance, with the element through which key paths continue.
        case recorded(Element)
    }

    private let origin: Origin
    /// The declaration of a property without a wrapper.
    let declaration: LinkDeclaration?

    /// The object to which the origins link; nil while unmanaged.
    var target: LinkTarget? { if case .managed(let target) = origin { target } else { declaration?.target } }

    /// The property of the origins that is followed backwards.
    var originProperty: String {
        switch origin {
        case .declared(let name): name
        case .managed(let target): target.originProperty
        case .recorded: ""
        }
    }

    /// Declares an inverse property in the older style, without a wrapper:
    ///
    ///     let owners = LinkingObjects(fromType: Person.self, property: "dogs")
    ///
    /// - Complexity: O(1).
    public init(fromType type: Element.Type, property: String) {
        origin = .declared(property)
        declaration = LinkDeclaration()
    }

    /// Creates the linking objects of an unmanaged object, for a property with a wrapper.
    init(originProperty: String) {
        origin = .declared(originProperty)
        declaration = nil
    }

    init(_ target: LinkTarget) {
        origin = .managed(target)
        declaration = nil
    }

    init(recorded element: Element) {
        origin = .recorded(element)
        declaration = nil
    }

    /// The element through which a recorded key path continues.
    private var recorded: Element? {
        if case .recorded(let element) = origin { return element }
        guard let declaration, let recorder = declaration.recorder else { return nil }
        return recorder.element(of: declaration)
    }

    private var origins: KeyMultiset {
        guard let target else { return KeyMultiset() }
        return target.origins
    }

    /// The number of references to the object.
    ///
    /// - Complexity: O(1).
    public var count: Int {
        if case .recorded = origin { return 1 }
        return declaration?.recorder == nil ? origins.count : 1
    }

    /// The object at a position.
    ///
    /// - Complexity: O(log n).
    /// - Precondition: `position` is in 0 ..< count.
    public subscript(position: Int) -> Element {
        let origins = origins
        guard position >= 0, position < origins.count else {
            if let recorded { return recorded }
            trap("Index \(position) is outside of linking objects of \(origins.count) elements.")
        }
        return unsafeDowncast(target!.originContext.accessor(origins.key(at: position)), to: Element.self)
    }
}

/// The target of linking objects. Confined with its realm, which it keeps alive.
@usableFromInline
struct LinkTarget {
    let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    private let creationGeneration: UInt64
    let context: Unmanaged<TableContext>
    let key: ObjectKey
    private let property: PropertyInfo
    /// Whether reads of the origins are recorded for observation tracking.
    private let isTracked: Bool
    var originProperty: String { property.type.originProperty! }

    var originContext: TableContext { context._withUnsafeGuaranteedRef { $0.target(of: property) } }
    var table: TableID { context._withUnsafeGuaranteedRef { $0.table } }

    /// The column that is followed backwards.
    var originColumn: Int {
        let property = originContext.info.property(named: originProperty)!
        return property.valuesColumn ?? property.column
    }

    var backlinks: TableID { instance.catalog.tables[originContext.table].backlinks[originColumn]! }

    var origins: KeyMultiset {
        instance.checkConfinement { "linking objects" }
        if isTracked { noteTrackedRead() }
        return instance.snapshot.backlinks(backlinks, of: key)
    }

    var isInvalidated: Bool {
        instance.checkConfinement { "linking objects" }
        return instance.isInvalidated(creationGeneration) || !instance.table(table).contains(key)
    }

    var keys: [ObjectKey] { origins.keys }

    init(_ object: ObjectBase, _ property: PropertyInfo) {
        instance = object.kivoInstance!
        instanceOwner = instance.instanceOwner
        creationGeneration = instance.reader.pointee.generation
        context = Unmanaged.passUnretained(object.kivoContext)
        key = object.kivoRow.key
        self.property = property
        isTracked = object.kivoContext.info.isObservable && !instance.isFrozen
    }

    private init(
        _ instance: RealmInstance, _ info: ClassInfo, _ key: ObjectKey, _ property: PropertyInfo
    ) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        creationGeneration = instance.reader.pointee.generation
        context = Unmanaged.passUnretained(instance.classes.context(of: info))
        self.key = key
        self.property = property
        isTracked = info.isObservable && !instance.isFrozen
    }

    init(_ other: LinkTarget, in instanceOwner: InstanceOwner) {
        self = LinkTarget.handover(other)(instanceOwner.instance)
    }

    /// Returns a closure that makes the target in another instance of the realm, without retaining this instance.
    static func handover(_ target: LinkTarget) -> @Sendable (RealmInstance) -> LinkTarget {
        let info = target.context._withUnsafeGuaranteedRef { $0.info }
        let (key, property) = (target.key, target.property)
        return { LinkTarget($0, info, key, property) }
    }
}

extension LinkingObjects: RealmCollection {
    /// Returns an iterator over the current origins.
    ///
    /// - Complexity: O(n): the iterator holds the elements of this moment.
    public func makeIterator() -> RLMIterator<Element> {
        guard let target else { return RLMIterator(values: []) }
        return RLMIterator(RowIterator(target.originContext, keys: target.keys))
    }

    /// Returns the first position of an object, or of an equal one if its class overrides ``ObjectBase/isEqual(_:)``, or nil.
    ///
    /// - Complexity: O(log n); O(n) if the class overrides ``ObjectBase/isEqual(_:)``.
    public func index(of element: Element) -> Int? {
        if comparesItself(element) { return firstIndex(of: element) }
        guard let target, element.isManaged, element.kivoInstance === target.instance, element.locate() else {
            return nil
        }
        return target.origins.firstPosition(of: element.kivoRow.key)
    }

    func managed(_ what: String) -> LinkTarget {
        guard let target else { trap("Cannot \(what) linking objects of an unmanaged object.") }
        return target
    }

    /// Returns whether two values are the same inverse property of the same row of the same realm instance.
    ///
    /// - Complexity: O(1).
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        guard let x = a.target, let y = b.target else { return a.target == nil && b.target == nil }
        return x.instance === y.instance && x.table == y.table && x.key == y.key
            && x.originProperty == y.originProperty
    }

    /// The realm, or nil for an unmanaged object.
    public var realm: Realm? { target.map { Realm($0.instance) } }
    /// A Boolean value that indicates whether the object was deleted.
    public var isInvalidated: Bool { target?.isInvalidated ?? false }
    /// A Boolean value that indicates whether the realm is frozen.
    public var isFrozen: Bool { target?.instance.isFrozen ?? false }
    /// Returns the current origins for use on any thread; inside of a write transaction, those before it.
    ///
    /// - Complexity: O(1): nothing is copied.
    /// - Precondition: The object is managed, not invalidated, and was not created in the open transaction.
    public func freeze() -> LinkingObjects {
        let target = managed("freeze")
        if isFrozen { return self }
        if target.isInvalidated {
            trap("The object of linking objects is gone, so that they cannot be frozen.")
        }
        let frozen = LinkTarget(target, in: target.instance.frozen())
        if frozen.isInvalidated {
            trap("The object of linking objects was created in this transaction: they cannot be frozen yet.")
        }
        return LinkingObjects(frozen)
    }
    /// Returns the live origins of the current thread, queue or actor, or nil if the object was deleted there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The object is managed.
    public func thaw() -> LinkingObjects? {
        let target = managed("thaw")
        guard isFrozen else { return self }
        let live = LinkTarget(target, in: target.instance.thawed())
        return live.isInvalidated ? nil : LinkingObjects(live)
    }
}

/// Linking objects as the value of a persisted property.
extension LinkingObjects: _Persistable {
    public typealias PersistedType = LinkingObjects<Element>
    @inlinable public static var _layout: _Layout<LinkingObjects<Element>> { _Layout(LinkingObjects.self) }
    public static var _access: _Access<LinkingObjects<Element>> { _Access(LinkingObjects.self) }
}

extension LinkingObjects: ReferenceLayout, PropertyLayout {
    @usableFromInline typealias Accessed = LinkingObjects<Element>

    @usableFromInline static func makeDefault() -> LinkingObjects {
        trap("'LinkingObjects<\(Element.className())>' needs '@Persisted(originProperty:)'.")
    }
    @inlinable static var isPlain: Bool { false }
}

extension LinkingObjects: NoElementAccess, NoOptionalAccess {
    static func get(_ owner: ObjectBase, _ property: Int) -> LinkingObjects {
        LinkingObjects(LinkTarget(owner, owner.kivoContext.info.property(column: property)))
    }
    static func set(_ value: LinkingObjects, _ owner: ObjectBase, _ property: Int) {
        let info = owner.kivoContext.info
        trap("Linking objects '\(info.name).\(info.property(column: property).name)' cannot be assigned.")
    }
    static func promote(
        _ value: inout LinkingObjects?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) {}
    static func record(_ owner: ObjectBase, _ property: Int) -> LinkingObjects {
        owner.kivoRecord(property)
        return owner.kivoRecorder?.element(Element.self).map { LinkingObjects(recorded: $0) }
            ?? LinkingObjects(originProperty: "")
    }
    static func describe(_ type: inout DeclaredType) {
        type.collection = .linkingObjects
        type.target = Element.self
    }
    static func originProperty(_ value: LinkingObjects?) -> String? { value?.originProperty }
    static func fromAny(_ any: Any?) -> LinkingObjects? { nil }
}

extension Persisted {
    /// Creates the inverse of a property of another class: the objects of that class that link here through it.
    ///
    /// Traps at the first use of the class if there is no such property or it does not link to this class.
    public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
        stored = LinkingObjects(originProperty: originProperty)
        column = PersistedColumn.unbound
    }
}
