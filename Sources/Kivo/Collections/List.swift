import KivoEngine

/// An ordered collection that is a property of an object; duplicates are allowed.
///
/// A list of a managed object is live and belongs to the realm's thread or queue; it can be changed only inside of a write
/// transaction. A list of an unmanaged object is an array. Adding an unmanaged object to a managed list adds it to the realm.
/// Each mutating call is one change for key-value observers of the property.
///
/// Indices are positions, 0 ..< count. Complexities are given for n elements. In a managed list of links, adding or removing one
/// also updates the backlinks of its object, in O(log r) for r references to it. Deleting embedded objects adds the cost of their
/// deletion.
public final class List<Element: RealmCollectionValue> {
    /// The location of the list, if it is managed.
    @exclusivity(unchecked) @usableFromInline final var reference: CollectionReference?
    /// The elements, if the list is unmanaged.
    @exclusivity(unchecked) @usableFromInline final var unmanaged: [Element] = []
    /// The parent of an unmanaged list whose property is observed.
    @usableFromInline let parent = CollectionParent()

    /// Creates an empty, unmanaged list.
    public init() {}

    init(_ reference: CollectionReference) { self.reference = reference }

    deinit {
        if unmanaged.isEmpty || Element.kindOfElement != .link { return }
        ObjectRelease.release { objects in
            for element in unmanaged {
                if let object = flatten(element) as? ObjectBase { objects.append(object) }
            }
            unmanaged = []
        }
    }

    var context: CollectionContext { reference?.context ?? .unmanaged }

    /// The number of elements.
    ///
    /// - Complexity: O(1).
    public var count: Int {
        if let reference { reference.sequence.count } else { unmanaged.count }
    }

    func check(_ index: Int, upTo end: Int) {
        guard index < 0 || index >= end else { return }
        let name = reference.map { " '\($0.name)'" } ?? ""
        trap("Index \(index) is outside of list\(name) of \(count) elements.")
    }

    /// The element at a position.
    ///
    /// - Complexity: O(log n) in a managed list, O(1) in an unmanaged one.
    /// - Precondition: `position` is in 0 ..< count. A managed list is changed in a write transaction.
    public subscript(position: Int) -> Element {
        get {
            guard let reference else {
                if position < 0 || position >= unmanaged.count {
                    // Any element serves for recording a key path: the recorded names are the same.
                    if let recorder = parent.recorder,
                        let element = unmanaged.first ?? recorder.element(of: self)
                    {
                        return element
                    }
                    check(position, upTo: unmanaged.count)
                }
                return unmanaged[position]
            }
            let sequence = reference.sequence
            check(position, upTo: sequence.count)
            return Element.element(at: sequence.pointer(at: position), reference.context)
        }
        set { replace(index: position, object: newValue) }
    }

    /// The elements at a range of positions. Assigning a slice replaces them like ``replaceSubrange(_:with:)``: the slice can
    /// have more or fewer elements. Assigning a slice of the list to its own position changes nothing.
    ///
    /// - Complexity: O(1) to read. Assigning costs what ``replaceSubrange(_:with:)`` costs.
    /// - Precondition: `bounds` is in 0 ... count. A managed list is changed in a write transaction.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get {
            check(bounds.lowerBound, upTo: count + 1)
            check(bounds.upperBound, upTo: count + 1)
            return Slice(base: self, bounds: bounds)
        }
        set {
            // A slice that was changed in place has already changed this list.
            if newValue.base == self, newValue.startIndex == bounds.lowerBound,
                newValue.endIndex == bounds.upperBound
            {
                return
            }
            replaceSubrange(bounds, with: newValue)
        }
    }

    /// The first element, or nil.
    ///
    /// - Complexity: O(log n) in a managed list, O(1) in an unmanaged one.
    public var first: Element? { isEmpty ? recorded : self[0] }

    /// The last element, or nil.
    ///
    /// - Complexity: O(log n) in a managed list, O(1) in an unmanaged one.
    public var last: Element? { isEmpty ? recorded : self[count - 1] }

    /// The element through which a recorded key path continues, if a bare property holds the list.
    @inline(never)
    private var recorded: Element? { parent.recorder?.element(of: self) }

    /// The current elements.
    var contents: [Element] {
        reference?.elements() ?? unmanaged
    }

    /// Returns the position of the first equal element, or nil. Objects are compared by row, or by ``ObjectBase/isEqual(_:)`` if their
    /// class overrides it; lists and dictionaries in values of any type by their contents.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        guard let reference else { return unmanaged.firstIndex(same: element) }
        if reference.context.elements != nil, comparesItself(element) { return firstIndex(of: element) }
        if Element.self == AnyRealmValue.self, let value = element as? AnyRealmValue, value.isContainer {
            return contents.firstIndex(same: element)
        }
        guard let cell = reference.existingCell(element) else { return nil }
        return reference.sequence.firstIndex(of: cell)
    }

}

extension CollectionReference {
    /// Returns the cell of an element, or nil if the collection cannot contain it: for unmanaged objects and those of other
    /// realms.
    func existingCell<Element: RealmCollectionValue>(_ element: Element) -> Cell? {
        if Element.self == AnyRealmValue.self, let value = element as? AnyRealmValue {
            return instance.existingAnyCell(value)
        }
        let value = flatten(element)
        if let object = value as? ObjectBase {
            guard object.isManaged, object.kivoInstance === instance,
                object.kivoContext.table == context.elements?.table,
                object.locate()
            else { return nil }
            return .link(object.kivoRow.key)
        }
        // A value that is stored as an object of its own is not stored anywhere else.
        if value != nil, context.elements != nil { return nil }
        return element.cell(in: context)
    }
}

extension List: RealmCollection, MutableCollection {
    /// Returns an iterator over the current elements.
    ///
    /// - Complexity: O(n): the iterator holds the elements of this moment.
    public func makeIterator() -> RLMIterator<Element> {
        if let reference { RLMIterator(reference) } else { RLMIterator(values: unmanaged) }
    }

    func managed(_ what: String) -> CollectionReference {
        guard let reference else {
            trap("Cannot \(what) an unmanaged list: add its object to a realm first.")
        }
        return reference
    }

    /// Returns whether two lists are equal: unmanaged ones by their elements, managed ones if they are the same list of the same
    /// realm instance.
    ///
    /// - Complexity: O(1) for managed lists, O(n) for unmanaged ones.
    public static func == (a: List, b: List) -> Bool {
        switch (a.reference, b.reference) {
        case (nil, nil): a === b || a.unmanaged.areSame(as: b.unmanaged)
        case (let x?, let y?): x.instance === y.instance && x.id == y.id
        default: false
        }
    }
}

extension List: ThreadConfined {
    /// The realm, or nil for an unmanaged list.
    public var realm: Realm? { reference.map { Realm($0.instance) } }
    /// A Boolean value that indicates whether the owner was deleted or the realm invalidated. Can be observed by key path.
    public var isInvalidated: Bool {
        parent.recorder?.recordInvalidation(of: self)
        return reference?.isInvalidated ?? false
    }
    /// A Boolean value that indicates whether the list belongs to a frozen realm.
    public var isFrozen: Bool { reference?.instance.isFrozen ?? false }
    /// Returns the current list for use on any thread; inside of a write transaction, the list before it.
    ///
    /// - Complexity: O(1): nothing is copied.
    /// - Precondition: The list is managed and not invalidated, and its owner was not created in the open transaction.
    public func freeze() -> List {
        let reference = managed("freeze")
        return isFrozen ? self : List(reference.frozen())
    }
    /// Returns the live list of the current thread, queue or actor, or nil if its owner was deleted there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The list is managed.
    public func thaw() -> List? {
        let reference = managed("thaw")
        return isFrozen ? reference.thawed().map { List($0) } : self
    }
}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension List: BareDeclaration {}

/// A list as the value of a persisted property.
extension List: _Persistable {
    public typealias PersistedType = List<Element>
    @inlinable public static var _layout: _Layout<List<Element>> { _Layout(List<Element>.self) }
    public static var _access: _Access<List<Element>> { _Access(List<Element>.self) }
}

extension List: CollectionProperty {
    @usableFromInline typealias Accessed = List<Element>
    @usableFromInline var isManaged: Bool { reference != nil }
    @usableFromInline func take(_ other: List) { unmanaged = other.contents }
}

extension List: CollectionAccess {
    static var kind: CollectionKind { .list }
    static func describeElements(_ type: inout DeclaredType) { Element._access.type.describeElement(&type) }

    convenience init(managed owner: ObjectBase, _ property: Int) {
        self.init(CollectionReference(owner, owner.kivoContext.info.property(column: property)))
    }

    func promote(_ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) -> Bool {
        let reference = CollectionReference(owner, owner.kivoContext.info.property(bound: property))
        if adder.isUpdating {
            adder.write(contents.map { $0.cell(in: reference.context) }, reference)
        } else if !isEmpty {
            reference.insert(contents, at: 0, adder.transaction)
        }
        return become(managed: reference)
    }

    private func become(managed reference: CollectionReference) -> Bool {
        if self.reference != nil { return false }
        self.reference = reference
        unmanaged = []
        moveObservations()
        return true
    }

    func record(for owner: ObjectBase) {
        parent.recorder = owner.kivoRecorder
        // One element that records, so that key paths can pass through a subscript.
        if let element = owner.kivoRecorder?.element(Element.self) { unmanaged = [element] }
    }

    static func made(of any: Any) -> List? {
        let list = List()
        if let array = any as? [Element] {
            list.unmanaged = array
            return list
        }
        guard let values = CollectionContents.elements(ofSequence: any) else { return nil }
        list.unmanaged.reserveCapacity(values.count)
        for value in values {
            guard let element = Element.element(from: value) else { return nil }
            list.unmanaged.append(element)
        }
        return list
    }
}

extension List: ModelCollection {
    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        reference == nil && become(managed: CollectionReference(owner, property))
    }
}
