import KivoEngine

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
