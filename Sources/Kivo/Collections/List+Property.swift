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

    public static func _promote(_ value: inout List?, _ owner: ObjectBase, _ property: Int, _ adder: Adder) {
        guard let list = value else {
            // What was never used is empty.
            if adder.isReplacing { value = List() } else { return }
            return _promote(&value, owner, property, adder)
        }
        let elements = list.contents
        let managed = List(CollectionReference(owner, owner.kivoContext.info.property(bound: property)))
        let isSame = adder.isComparing && managed.contents == elements
        if adder.isReplacing, !isSame { managed.removeAll() }
        if !elements.isEmpty, !isSame {
            let reference = managed.reference!
            if let target = reference.property.type.target {
                let cells = elements.map { element -> Cell in
                    guard let object = flatten(element) as? ObjectBase else { return .link(0) }
                    object.kivoCheckClass(target, reference.name)
                    return .link(adder.link(object, isOwned: reference.property.isOwning))
                }
                reference.change(.insertion(0..<cells.count)) {
                    $0.insertElements(cells, at: 0, into: reference.id)
                }
            } else {
                reference.change(.insertion(0..<elements.count)) { reference.insert(elements, at: 0, $0) }
            }
        }
        if list.reference == nil {
            list.reference = managed.reference
            list.unmanaged = []
            list.moveObservations()
        } else {
            value = managed
        }
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
        guard let any = flatten(any) else { return unsafeDowncast(List(), to: self) }
        if let list = any as? Self { return list }
        let list = List()
        if let array = any as? [Element] {
            list.unmanaged = array
        } else if let array = any as? [Any] {
            var elements: [Element] = []
            elements.reserveCapacity(array.count)
            for value in array {
                guard let element = Element._elementFromAny(value, list.context) else { return nil }
                elements.append(element)
            }
            list.unmanaged = elements
        } else {
            return nil
        }
        return unsafeDowncast(list, to: self)
    }
}

extension List: AnyObservableCollection {
    var elementCount: Int { count }

    func assignAny(_ other: Any?) -> Bool {
        guard let other = List._fromAny(other) else { return false }
        assign(other)
        return true
    }

    var snapshotValue: Any { contents }

    func elements(at indices: [Int]) -> [Any] { indices.map { self[$0] } }
}
