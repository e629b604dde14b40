import KivoEngine

/// A set as the value of a persisted property.
extension MutableSet: _CollectionProperty {
    public typealias PersistedType = MutableSet<Element>
    public static var _kind: CollectionKind { .set }
    public static func _describeElements(_ type: inout DeclaredType) { Element._describeElement(&type) }

    public convenience init(_managed owner: ObjectBase, _ property: Int) {
        self.init(CollectionReference(owner, owner.kivoContext.info.property(column: property)))
    }

    public var _isManaged: Bool { reference != nil }
    public func _assign(_ other: MutableSet) { assign(other) }
    public func _take(_ other: MutableSet) { storage = .unmanaged(other.contents) }

    public func _promote(_ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder) -> Bool {
        let reference = CollectionReference(owner, owner.kivoContext.info.property(bound: property))
        for element in contents { Self.checkElement(element) }
        adder.write(set: contents.map { $0._elementCell(reference.context) }, reference)
        return become(managed: reference)
    }

    private func become(managed reference: CollectionReference) -> Bool {
        if self.reference != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    public func _record(for owner: ObjectBase) {
        parent.recorder = owner.kivoRecorder
        if let element = owner.kivoRecorder?.element(Element.self) { storage = .unmanaged([element]) }
    }

    public static func _made(of any: Any) -> MutableSet? {
        let known = (any as? Set<Element>).map { Array($0) as [Any] }
        guard let values = known ?? CollectionContents.elements(ofSequence: any) else { return nil }
        let set = MutableSet()
        for value in values {
            guard let element = Element._elementFromAny(value, set.context) else { return nil }
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
