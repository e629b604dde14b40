import KivoEngine

/// A map as the value of a persisted property.
extension Map: _Persistable {
    public typealias PersistedType = Map<Key, Value>
    @inlinable public static var _layout: _Layout<Map<Key, Value>> { _Layout(Map<Key, Value>.self) }
    public static var _access: _Access<Map<Key, Value>> { _Access(Map<Key, Value>.self) }
}

extension Map: CollectionProperty {
    @usableFromInline typealias Accessed = Map<Key, Value>
    @usableFromInline var isManaged: Bool { references != nil }
    @usableFromInline func take(_ other: Map) { storage = .unmanaged(Self.stored(other.entries)) }
}

extension Map: CollectionAccess {
    static var kind: CollectionKind { .map }
    static func describeElements(_ type: inout DeclaredType) { Value._access.type.describeElement(&type) }

    convenience init(managed owner: ObjectBase, _ property: Int) {
        self.init(owner, owner.kivoContext.info.property(column: property))
    }

    func promote(_ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) -> Bool {
        let reference = MapReference(owner, owner.kivoContext.info.property(bound: property))
        let context = reference.values.context
        adder.write(entries.map { ($0.key._mapKey, $0.value.cell(in: context)) }, reference)
        return become(managed: reference)
    }

    private func become(managed reference: MapReference) -> Bool {
        if references != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    func record(for owner: ObjectBase) { parent.recorder = owner.kivoRecorder }

    static func made(of any: Any) -> Map? {
        guard let entries = CollectionContents.entries(any) else { return nil }
        let map = Map()
        for (key, value) in entries {
            guard let element = Value.element(from: value) ?? meaningOfNil(value) else {
                return nil
            }
            map.updateValue(element, forKey: Key(_mapKey: key))
        }
        return map
    }
}

extension Map {
    /// Returns the value for nil. Unlike elements of lists, values of types that are stored as objects can be nil.
    private static func meaningOfNil(_ any: Any?) -> Value? {
        guard nonNull(any) == nil, let type = Value.self as? any _Persistable.Type else { return nil }
        func null<T: _Persistable>(_ type: T.Type) -> Any? { T._access.type.fromAny(nil) }
        return null(type) as? Value
    }
}

extension Map: ModelCollection {
    var reference: CollectionReference? { references?.keys }
    package var elementCount: Int { count }

    func beginning(_ limit: Int) -> [(label: String?, element: Any?)] {
        entries.prefix(limit).map { ($0.key._mapKey, $0.value) }
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        references == nil && become(managed: MapReference(owner, property))
    }

    package var snapshotValue: Any {
        Dictionary(entries.map { ($0.key._mapKey, $0.value as Any) }, uniquingKeysWith: { first, _ in first })
    }

    package func elements(at indices: [Int]) -> [Any] { [] }
    package func member(_ value: Any) -> Any? { trapWrongKind() }
    package func edit(_ edit: CollectionEdit) { trapWrongKind() }
}
