import KivoEngine

/// A map as the value of a persisted property.
extension Map: _Persistable {
    public static func _makeDefault() -> Map { Map() }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isCached: Bool { true }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        trap("a map is no scalar")
    }
    public static func _store(_ value: Map, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        unsafeDowncast(Map(owner, owner.kivoContext.info.property(column: property)), to: self)
    }

    public static func _set(_ value: Map, _ owner: ObjectBase, _ property: Int) {
        _get(owner, property).assign(value)
    }

    public static func _replace(_ value: Map, _ current: Map?) -> Bool {
        current?.assign(value)
        return current != nil
    }

    public static func _adopt(_ value: Map, _ current: Map?) -> Self {
        if let current, current === value { return unsafeDowncast(current, to: self) }
        let map = current?.references == nil ? current ?? Map() : Map()
        map.storage = .unmanaged(stored(value.entries))
        return unsafeDowncast(map, to: self)
    }

    public static func _promote(
        _ value: inout Map?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        guard let map = value else {
            // What was never used is empty.
            if adder.isUpdating { value = Map() } else { return }
            return _promote(&value, owner, property, adder)
        }
        let reference = MapReference(owner, owner.kivoContext.info.property(bound: property))
        let context = reference.values.context
        adder.write(map.entries.map { ($0.key._mapKey, $0.value._elementCell(context)) }, reference)
        if !map.become(managed: reference) { value = Map(keys: reference.keys, values: reference.values) }
    }

    private func become(managed reference: MapReference) -> Bool {
        if references != nil { return false }
        storage = .managed(reference)
        moveObservations()
        return true
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        let map = Map()
        map.parent.recorder = owner.kivoRecorder
        owner.kivoRecorder?.expect(map)
        return unsafeDowncast(map, to: self)
    }

    public static func _describe(_ type: inout PropertyType) {
        type.collection = .map
        Value._describeElement(&type)
    }

    public static func _toAny(_ value: Map) -> Any? { value }

    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = nonNull(any) else { return unsafeDowncast(Map(), to: self) }
        if let map = cast(any, as: self) { return map }
        guard let entries = GivenElements.entries(any) else { return nil }
        let map = Map()
        for (key, value) in entries {
            guard let element = Value._elementFromAny(value, CollectionContext(instance: nil, elements: nil))
            else {
                return nil
            }
            map.updateValue(element, forKey: Key(_mapKey: key))
        }
        return unsafeDowncast(map, to: self)
    }
}

extension Map: AnyMap {
    var anyEntries: [(key: String, value: Any?)] { entries.map { ($0.key._mapKey, $0.value) } }
}

extension Map: AnyObservableCollection {
    var reference: CollectionReference? { references?.keys }
    var elementCount: Int { count }

    var objects: [(label: String?, object: ObjectBase?)] {
        entries.map { ($0.key._mapKey, flatten($0.value) as? ObjectBase) }
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool {
        references == nil && become(managed: MapReference(owner, property))
    }

    var snapshotValue: Any {
        Dictionary(entries.map { ($0.key._mapKey, $0.value as Any) }, uniquingKeysWith: { first, _ in first })
    }

    func elements(at indices: [Int]) -> [Any] { [] }
}
