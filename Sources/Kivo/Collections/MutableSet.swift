import KivoEngine

/// A collection of distinct elements that is a property of an object.
///
/// Positions can be used for reading, but have no meaning of their own: integers and strings are in ascending order, objects in
/// the order of their creation. A set of a managed object is live and can be changed only inside of a write transaction.
/// Complexities are given for n elements. An unmanaged set is an array, which is searched.
public final class MutableSet<Element: RealmCollectionValue> {
    enum Storage {
        case unmanaged([Element])
        case managed(CollectionReference)
    }

    var storage: Storage
    let parent = CollectionParent()

    /// Creates an empty, unmanaged set.
    public init() { storage = .unmanaged([]) }

    init(_ reference: CollectionReference) { storage = .managed(reference) }

    deinit {
        if Element.kindOfElement != .link { return }
        ObjectRelease.release { objects in
            guard case .unmanaged(let elements) = storage else { return }
            for element in elements {
                if let object = flatten(element) as? ObjectBase { objects.append(object) }
            }
            storage = .unmanaged([])
        }
    }

    var reference: CollectionReference? {
        if case .managed(let reference) = storage { reference } else { nil }
    }

    var context: CollectionContext { reference?.context ?? .unmanaged }

    /// The number of elements.
    ///
    /// - Complexity: O(1).
    public var count: Int {
        switch storage {
        case .unmanaged(let elements): elements.count
        case .managed(let reference): reference.sequence.count
        }
    }

    /// The element at a position.
    ///
    /// - Complexity: O(log n) in a managed set, O(1) in an unmanaged one.
    /// - Precondition: `position` is in 0 ..< count.
    public subscript(position: Int) -> Element {
        switch storage {
        case .unmanaged(let elements):
            if let recorder = parent.recorder, let element = elements.first ?? recorder.element(of: self) {
                return element
            }
            return elements[position]
        case .managed(let reference):
            let sequence = reference.sequence
            reference.range(checking: position, sequence.count)
            return Element.element(at: sequence.pointer(at: position), reference.context)
        }
    }

    var contents: [Element] {
        switch storage {
        case .unmanaged(let elements): elements
        case .managed(let reference): reference.elements()
        }
    }

    /// Returns whether an element is in the set. In a managed set objects are found by row.
    ///
    /// - Complexity: O(log n) in a managed set, O(n) in an unmanaged one.
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// Returns the current position of an element, or nil.
    ///
    /// realm-swift traps here, because positions have no meaning in its sets. In Kivo they are those that subscripts take and
    /// that observers receive, until the set changes.
    ///
    /// - Complexity: O(log n) in a managed set, O(n) in an unmanaged one.
    public func index(of element: Element) -> Int? {
        switch storage {
        case .unmanaged(let elements): return elements.firstIndex(same: element)
        case .managed(let reference):
            guard let cell = reference.existingCell(element) else { return nil }
            let (position, isEqual) = reference.sequence.lowerBound(cell)
            return isEqual ? position : nil
        }
    }

}

extension MutableSet: RealmCollection {
    /// Returns an iterator over the current elements.
    ///
    /// - Complexity: O(n): the iterator holds the elements of this moment.
    public func makeIterator() -> RLMIterator<Element> {
        switch storage {
        case .unmanaged(let elements): RLMIterator(values: elements)
        case .managed(let reference): RLMIterator(reference)
        }
    }

    func managed(_ what: String) -> CollectionReference {
        guard let reference else { trap("Cannot \(what) an unmanaged set: add its object to a realm first.") }
        return reference
    }

    /// Returns whether two sets are equal: unmanaged ones by their elements, managed ones if they are the same set of the same
    /// realm instance.
    ///
    /// - Complexity: O(1) for managed sets, O(n) on average for unmanaged ones; O(n²) if their elements are ``AnyRealmValue``.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        switch (a.storage, b.storage) {
        case (.unmanaged(let x), .unmanaged(let y)): a === b || x.areSameMembers(as: y)
        case (.managed(let x), .managed(let y)): x.instance === y.instance && x.id == y.id
        default: false
        }
    }

    /// The realm, or nil for an unmanaged set.
    public var realm: Realm? { reference.map { Realm($0.instance) } }
    /// A Boolean value that indicates whether the owner was deleted or the realm invalidated.
    public var isInvalidated: Bool {
        parent.recorder?.recordInvalidation(of: self)
        return reference?.isInvalidated ?? false
    }
    /// A Boolean value that indicates whether the set belongs to a frozen realm.
    public var isFrozen: Bool { reference?.instance.isFrozen ?? false }
    /// Returns the current set for use on any thread; inside of a write transaction, the set before it.
    ///
    /// - Complexity: O(1): nothing is copied.
    /// - Precondition: The set is managed and not invalidated, and its owner was not created in the open transaction.
    public func freeze() -> MutableSet {
        let reference = managed("freeze")
        return isFrozen ? self : MutableSet(reference.frozen())
    }
    /// Returns the live set of the current thread, queue or actor, or nil if its owner was deleted there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The set is managed.
    public func thaw() -> MutableSet? {
        let reference = managed("thaw")
        return isFrozen ? reference.thawed().map { MutableSet($0) } : self
    }
}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension MutableSet: BareDeclaration {}

/// A set as the value of a persisted property.
extension MutableSet: _Persistable {
    public typealias PersistedType = MutableSet<Element>
    @inlinable public static var _layout: _Layout<MutableSet<Element>> { _Layout(MutableSet<Element>.self) }
    public static var _access: _Access<MutableSet<Element>> { _Access(MutableSet<Element>.self) }
}

extension MutableSet: CollectionProperty {
    @usableFromInline typealias Accessed = MutableSet<Element>
    @usableFromInline var isManaged: Bool { reference != nil }
    @usableFromInline func take(_ other: MutableSet) { storage = .unmanaged(other.contents) }
}

extension MutableSet: CollectionAccess {
    static var kind: CollectionKind { .set }
    static func describeElements(_ type: inout DeclaredType) { Element._access.type.describeElement(&type) }

    convenience init(managed owner: ObjectBase, _ property: Int) {
        self.init(CollectionReference(owner, owner.kivoContext.info.property(column: property)))
    }

    func promote(_ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) -> Bool {
        let reference = CollectionReference(owner, owner.kivoContext.info.property(bound: property))
        for element in contents { Self.checkElement(element) }
        adder.write(set: contents.map { $0.cell(in: reference.context) }, reference)
        return become(managed: reference)
    }

    private func become(managed reference: CollectionReference) -> Bool {
        if self.reference != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    func record(for owner: ObjectBase) {
        parent.recorder = owner.kivoRecorder
        if let element = owner.kivoRecorder?.element(Element.self) { storage = .unmanaged([element]) }
    }

    static func made(of any: Any) -> MutableSet? {
        let known = (any as? Set<Element>).map { Array($0) as [Any] }
        guard let values = known ?? CollectionContents.elements(ofSequence: any) else { return nil }
        let set = MutableSet()
        for value in values {
            guard let element = Element.element(from: value) else { return nil }
            set.insert(element)
        }
        return set
    }
}

extension MutableSet: ModelCollection {
    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        reference == nil && become(managed: CollectionReference(owner, property))
    }
}
