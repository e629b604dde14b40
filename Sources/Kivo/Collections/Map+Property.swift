import KivoEngine

/// A map as the value of a persisted property.
extension Map: _CollectionProperty {
    public typealias PersistedType = Map<Key, Value>
    public static var _kind: CollectionKind { .map }
    public static func _describeElements(_ type: inout DeclaredType) { Value._describeElement(&type) }

    public convenience init(_managed owner: ObjectBase, _ property: Int) {
        self.init(owner, owner.kivoContext.info.property(column: property))
    }

    public var _isManaged: Bool { references != nil }
    public func _assign(_ other: Map) { assign(other) }
    public func _take(_ other: Map) { storage = .unmanaged(Self.stored(other.entries)) }

    public func _promote(_ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder) -> Bool {
        let reference = MapReference(owner, owner.kivoContext.info.property(bound: property))
        let context = reference.values.context
        adder.write(entries.map { ($0.key._mapKey, $0.value._elementCell(context)) }, reference)
        return become(managed: reference)
    }

    private func become(managed reference: MapReference) -> Bool {
        if references != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    public func _record(for owner: ObjectBase) { parent.recorder = owner.kivoRecorder }

    public static func _made(of any: Any) -> Map? {
        guard let entries = CollectionContents.entries(any) else { return nil }
        let map = Map()
        for (key, value) in entries {
            guard let element = Value._elementFromAny(value, map.context) ?? meaningOfNil(value) else {
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
        return type._fromAny(nil) as? Value
    }
}

extension Map: ModelCollection {
    var reference: CollectionReference? { references?.keys }
    var elementCount: Int { count }

    func beginning(_ limit: Int) -> [(label: String?, element: Any?)] {
        entries.prefix(limit).map { ($0.key._mapKey, $0.value) }
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        references == nil && become(managed: MapReference(owner, property))
    }

    var snapshotValue: Any {
        Dictionary(entries.map { ($0.key._mapKey, $0.value as Any) }, uniquingKeysWith: { first, _ in first })
    }

    func elements(at indices: [Int]) -> [Any] { [] }
    func member(_ value: Any) -> Any? { trapWrongKind() }
    func edit(_ edit: CollectionEdit) { trapWrongKind() }
}
