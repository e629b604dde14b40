import KivoEngine

/// A collection of distinct elements that is a property of an object.
///
/// Positions can be used to read, but have no meaning of their own: integers and strings are in ascending order, objects
/// in the order of their creation. A set of a managed object is live and can be changed inside of a write transaction
/// only. Reading by position and changing is O(log n) in a managed set, looking up O(log n).
public final class MutableSet<Element: RealmCollectionValue> {
    enum Storage {
        case unmanaged([Element])
        case managed(CollectionReference)
    }

    var storage: Storage
    let parent = CollectionParent()

    /// An empty, unmanaged set.
    public init() { storage = .unmanaged([]) }

    init(_ reference: CollectionReference) { storage = .managed(reference) }

    var reference: CollectionReference? {
        if case .managed(let reference) = storage { reference } else { nil }
    }

    /// The number of elements. O(1).
    public var count: Int {
        switch storage {
        case .unmanaged(let elements): elements.count
        case .managed(let reference): reference.sequence.count
        }
    }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        switch storage {
        case .unmanaged(let elements): return elements[position]
        case .managed(let reference):
            let sequence = reference.sequence
            reference.range(checking: position, sequence.count)
            return Element._loadElement(sequence.pointer(at: position), reference.context)
        }
    }

    var contents: [Element] {
        switch storage {
        case .unmanaged(let elements): return elements
        case .managed(let reference):
            let context = reference.context
            var elements: [Element] = []
            reference.sequence.forEach { elements.append(Element._element($0, context)) }
            return elements
        }
    }

    /// Whether an element is in the set.
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// The position of an element, or nil.
    public func index(of element: Element) -> Int? {
        switch storage {
        case .unmanaged(let elements): return elements.firstIndex(of: element)
        case .managed(let reference):
            guard let cell = reference.existingCell(element) else { return nil }
            let (position, isEqual) = reference.sequence.lowerBound(cell)
            return isEqual ? position : nil
        }
    }

    /// Adds an element, unless it is in the set.
    public func insert(_ element: Element) {
        switch storage {
        case .unmanaged(var elements):
            if elements.contains(element) { return }
            parent.changing(.wholesale) {
                elements.append(element)
                storage = .unmanaged(elements)
            }
        case .managed(let reference):
            _ = reference.requireTransaction()
            let cell = element._elementCell(reference.context)
            let (position, isEqual) = reference.sequence.lowerBound(cell)
            if isEqual { return }
            reference.change(.wholesale) { $0.insertElement(cell, at: position, into: reference.id) }
        }
    }

    /// Adds the elements of a sequence that are not in the set.
    public func insert<S: Swift.Sequence>(objectsIn objects: S) where S.Element == Element {
        for object in objects { insert(object) }
    }

    /// Removes an element, if it is in the set.
    public func remove(_ element: Element) {
        if let reference { _ = reference.requireTransaction() }
        guard let position = index(of: element) else { return }
        switch storage {
        case .unmanaged(var elements):
            parent.changing(.wholesale) {
                elements.remove(at: position)
                storage = .unmanaged(elements)
            }
        case .managed(let reference):
            reference.change(.wholesale) { $0.removeElement(at: position, from: reference.id) }
        }
    }

    /// Removes all elements.
    public func removeAll() {
        switch storage {
        case .unmanaged(let elements):
            if elements.isEmpty { return }
            parent.changing(.wholesale) { storage = .unmanaged([]) }
        case .managed(let reference):
            _ = reference.requireTransaction()
            if reference.sequence.count == 0 { return }
            reference.change(.wholesale) { $0.removeAllElements(from: reference.id) }
        }
    }

    func assign(_ elements: [Element]) {
        removeAll()
        insert(objectsIn: elements)
    }
}

extension MutableSet: RealmCollection {
    /// Iterates over the elements as they are now.
    public func makeIterator() -> RLMIterator<Element> {
        switch storage {
        case .unmanaged(let elements): RLMIterator(values: elements)
        case .managed(let reference): RLMIterator(reference)
        }
    }

    /// The elements for which a query holds, live. Traps if unmanaged.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        Results(QueryState(managed("filter"))).where(isIncluded)
    }

    /// The elements in the order of keys, live. Traps if unmanaged.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Element == SortDescriptor {
        Results(QueryState(managed("sort"))).sorted(by: sortDescriptors)
    }

    func managed(_ what: String) -> CollectionReference {
        guard let reference else { trap("Cannot \(what) an unmanaged set: add its object to a realm first.") }
        return reference
    }

    /// Whether two sets are equal: unmanaged ones by their elements, managed ones if they are the same set of the
    /// same realm instance.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        switch (a.storage, b.storage) {
        case (.unmanaged(let x), .unmanaged(let y)): a === b || Set(x) == Set(y)
        case (.managed(let x), .managed(let y)): x.core === y.core && x.id == y.id
        default: false
        }
    }

    /// The realm, or nil for an unmanaged set.
    public var realm: Realm? { reference.map { Realm($0.core) } }
    /// Whether the owner was deleted or the realm invalidated.
    public var isInvalidated: Bool { reference?.isInvalidated ?? false }
    /// Whether the set is of a frozen realm.
    public var isFrozen: Bool { reference?.core.isFrozen ?? false }
    /// The set as it is now, for use on any thread. Traps if unmanaged.
    public func freeze() -> MutableSet {
        let reference = managed("freeze")
        return MutableSet(reference.moved(to: reference.core.frozen()))
    }
    /// The live set of the current thread, or nil if its owner is gone there.
    public func thaw() -> MutableSet? {
        let reference = managed("thaw")
        let live = reference.moved(to: reference.core.thawed())
        return live.isInvalidated ? nil : MutableSet(live)
    }
}

/// A set as the value of a persisted property.
extension MutableSet: _Persistable {
    public static func _makeDefault() -> MutableSet { MutableSet() }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isCached: Bool { true }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        trap("a set is no scalar")
    }
    public static func _store(_ value: MutableSet, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        false
    }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        let info = owner.kivoContext.info.property(column: property)
        return unsafeDowncast(MutableSet(CollectionReference(owner, info)), to: self)
    }

    public static func _set(_ value: MutableSet, _ owner: ObjectBase, _ property: Int) {
        let set = _get(owner, property)
        set.assign(value.contents)
    }

    public static func _adopt(_ value: MutableSet, _ current: MutableSet?) -> Self {
        if let current, current === value { return unsafeDowncast(current, to: self) }
        let set = current?.reference == nil ? current ?? MutableSet() : MutableSet()
        set.storage = .unmanaged(value.contents)
        return unsafeDowncast(set, to: self)
    }

    public static func _promote(
        _ value: inout MutableSet?, _ owner: ObjectBase, _ property: Int, _ adder: Adder
    ) {
        guard let set = value else { return }
        let elements = set.contents
        let managed = MutableSet(
            CollectionReference(owner, owner.kivoContext.info.property(bound: property)))
        if !adder.isComparing || Set(managed.contents) != Set(elements) {
            if adder.isReplacing { managed.removeAll() }
            managed.insert(objectsIn: elements)
        }
        if set.reference == nil { set.storage = managed.storage } else { value = managed }
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        let set = MutableSet()
        if let type = Element.self as? ObjectBase.Type, let recorder = owner.kivoRecorder {
            if let element = recorder.instance(of: type) as? Element { set.storage = .unmanaged([element]) }
        }
        return unsafeDowncast(set, to: self)
    }

    public static func _describe(_ type: inout PropertyType) {
        type.collection = .set
        Element._describeElement(&type)
    }

    public static func _toAny(_ value: MutableSet) -> Any? { value }

    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = flatten(any) else { return unsafeDowncast(MutableSet(), to: self) }
        if let set = any as? Self { return set }
        let values: [Any]
        if let set = any as? Set<Element> {
            values = Array(set)
        } else if let array = any as? [Any] {
            values = array
        } else {
            return nil
        }
        let set = MutableSet()
        for value in values {
            guard let element = Element._elementFromAny(value, CollectionContext(core: nil, elements: nil))
            else {
                return nil
            }
            set.insert(element)
        }
        return unsafeDowncast(set, to: self)
    }
}

extension MutableSet: AnyAssignableCollection {
    func assignAny(_ other: Any?) {
        if let other = MutableSet._fromAny(other) { assign(other.contents) }
    }

    var snapshotValue: Any { contents }

    func elements(at indices: [Int]) -> [Any] { indices.map { self[$0] } }
}
