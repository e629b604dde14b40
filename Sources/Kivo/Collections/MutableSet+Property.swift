import KivoEngine

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
        _get(owner, property).assign(value)
    }

    public static func _replace(_ value: MutableSet, _ current: MutableSet?) -> Bool {
        current?.assign(value)
        return current != nil
    }

    public static func _adopt(_ value: MutableSet, _ current: MutableSet?) -> Self {
        if let current, current === value { return unsafeDowncast(current, to: self) }
        let set = current?.reference == nil ? current ?? MutableSet() : MutableSet()
        set.storage = .unmanaged(value.contents)
        return unsafeDowncast(set, to: self)
    }

    public static func _promote(
        _ value: inout MutableSet?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        guard let set = value else {
            // What was never used is empty.
            if adder.isUpdating { value = MutableSet() } else { return }
            return _promote(&value, owner, property, adder)
        }
        let reference = CollectionReference(owner, owner.kivoContext.info.property(bound: property))
        adder.write(set: set.contents.map { $0._elementCell(reference.context) }, reference)
        if !set.become(managed: reference) { value = MutableSet(reference) }
    }

    private func become(managed reference: CollectionReference) -> Bool {
        if self.reference != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        let set = MutableSet()
        if let element = owner.kivoRecorder?.element(Element.self) { set.storage = .unmanaged([element]) }
        set.parent.recorder = owner.kivoRecorder
        owner.kivoRecorder?.expect(set)
        return unsafeDowncast(set, to: self)
    }

    public static func _describe(_ type: inout PropertyType) {
        type.collection = .set
        Element._describeElement(&type)
    }

    public static func _toAny(_ value: MutableSet) -> Any? { value }

    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = nonNull(any) else { return unsafeDowncast(MutableSet(), to: self) }
        if let set = cast(any, as: self) { return set }
        let known = (any as? Set<Element>).map { Array($0) as [Any] }
        guard let values = known ?? GivenElements.elements(any) else { return nil }
        let set = MutableSet()
        for value in values {
            guard
                let element = Element._elementFromAny(value, CollectionContext(instance: nil, elements: nil))
            else {
                return nil
            }
            set.insert(element)
        }
        return unsafeDowncast(set, to: self)
    }
}

extension MutableSet: AnyObservableCollection {
    var elementCount: Int { count }

    var objects: [(label: String?, object: ObjectBase?)] {
        contents.map { (nil, flatten($0) as? ObjectBase) }
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        reference == nil && become(managed: CollectionReference(owner, property))
    }

    var snapshotValue: Any { contents }

    func elements(at indices: [Int]) -> [Any] { indices.map { self[$0] } }
}
