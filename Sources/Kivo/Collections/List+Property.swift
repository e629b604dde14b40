import KivoEngine

/// A list as the value of a persisted property.
extension List: _Persistable {
    public static func _makeDefault() -> List { List() }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isCached: Bool { true }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        trap("a list is no scalar")
    }
    public static func _store(_ value: List, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        let info = owner.kivoContext.info.property(column: property)
        return unsafeDowncast(List(CollectionReference(owner, info)), to: self)
    }

    /// Whole assignment: the elements are replaced; the list stays the same object.
    public static func _set(_ value: List, _ owner: ObjectBase, _ property: Int) {
        _get(owner, property).assign(value)
    }

    public static func _replace(_ value: List, _ current: List?) -> Bool {
        current?.assign(value)
        return current != nil
    }

    public static func _adopt(_ value: List, _ current: List?) -> Self {
        if let current, current === value { return unsafeDowncast(current, to: self) }
        let list = current?.reference == nil ? current ?? List() : List()
        list.unmanaged = value.contents
        return unsafeDowncast(list, to: self)
    }

    public static func _promote(
        _ value: inout List?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        guard let list = value else {
            // What was never used is empty.
            if adder.isUpdating { value = List() } else { return }
            return _promote(&value, owner, property, adder)
        }
        let reference = CollectionReference(owner, owner.kivoContext.info.property(bound: property))
        if adder.isUpdating {
            adder.write(list.contents.map { $0._elementCell(reference.context) }, reference)
        } else if !list.isEmpty {
            reference.insert(list.contents, at: 0, adder.transaction)
        }
        if !list.become(managed: reference) { value = List(reference) }
    }

    private func become(managed reference: CollectionReference) -> Bool {
        if self.reference != nil { return false }
        self.reference = reference
        unmanaged = []
        moveObservations()
        return true
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        let list = List()
        // One element that records, so that key paths can pass through a subscript.
        if let element = owner.kivoRecorder?.element(Element.self) { list.unmanaged = [element] }
        list.parent.recorder = owner.kivoRecorder
        owner.kivoRecorder?.expect(list)
        return unsafeDowncast(list, to: self)
    }

    public static func _describe(_ type: inout PropertyType) {
        type.collection = .list
        Element._describeElement(&type)
    }

    public static func _toAny(_ value: List) -> Any? { value }

    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = nonNull(any) else { return unsafeDowncast(List(), to: self) }
        if let list = cast(any, as: self) { return list }
        let list = List()
        if let array = any as? [Element] {
            list.unmanaged = array
            return unsafeDowncast(list, to: self)
        }
        guard let values = GivenElements.elements(any) else { return nil }
        list.unmanaged.reserveCapacity(values.count)
        for value in values {
            guard let element = Element._elementFromAny(value, list.context) else { return nil }
            list.unmanaged.append(element)
        }
        return unsafeDowncast(list, to: self)
    }
}

extension List: AnyObservableCollection {
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
