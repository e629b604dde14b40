import KivoEngine

/// A list as the value of a persisted property.
extension List: _CollectionProperty {
    public typealias PersistedType = List<Element>
    public static var _kind: CollectionKind { .list }
    public static func _describeElements(_ type: inout DeclaredType) { Element._describeElement(&type) }

    public convenience init(_managed owner: ObjectBase, _ property: Int) {
        self.init(CollectionReference(owner, owner.kivoContext.info.property(column: property)))
    }

    public var _isManaged: Bool { reference != nil }
    public func _assign(_ other: List) { assign(other) }
    public func _take(_ other: List) { unmanaged = other.contents }

    public func _promote(_ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder) -> Bool {
        let reference = CollectionReference(owner, owner.kivoContext.info.property(bound: property))
        if adder.isUpdating {
            adder.write(contents.map { $0._elementCell(reference.context) }, reference)
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

    public func _record(for owner: ObjectBase) {
        parent.recorder = owner.kivoRecorder
        // One element that records, so that key paths can pass through a subscript.
        if let element = owner.kivoRecorder?.element(Element.self) { unmanaged = [element] }
    }

    public static func _made(of any: Any) -> List? {
        let list = List()
        if let array = any as? [Element] {
            list.unmanaged = array
            return list
        }
        guard let values = CollectionContents.elements(ofSequence: any) else { return nil }
        list.unmanaged.reserveCapacity(values.count)
        for value in values {
            guard let element = Element._elementFromAny(value, list.context) else { return nil }
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
