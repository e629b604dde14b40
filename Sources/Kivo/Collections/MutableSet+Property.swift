import KivoEngine

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
