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
        map.storage = .unmanaged(
            Dictionary(value.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }))
        return unsafeDowncast(map, to: self)
    }

    public static func _promote(_ value: inout Map?, _ owner: ObjectBase, _ property: Int, _ adder: Adder) {
        guard let map = value else {
            // What was never used is empty.
            if adder.isReplacing { value = Map() } else { return }
            return _promote(&value, owner, property, adder)
        }
        let entries = map.entries
        let managed = Map(owner, owner.kivoContext.info.property(bound: property))
        let isSame =
            adder.isComparing
            && managed.entries.elementsEqual(entries, by: { $0.key == $1.key && $0.value == $1.value })
        if !isSame {
            if adder.isReplacing { managed.assign(map) } else { managed.put(entries) }
        }
        guard map.references == nil else { return value = managed }
        map.storage = managed.storage
        map.moveObservations()
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
        guard let any = flatten(any) else { return unsafeDowncast(Map(), to: self) }
        if let map = any as? Self { return map }
        guard let dictionary = any as? [String: Any] else { return nil }
        let map = Map()
        for (key, value) in dictionary {
            guard let element = Value._elementFromAny(value, CollectionContext(core: nil, elements: nil))
            else {
                return nil
            }
            map.updateValue(element, forKey: Key(_mapKey: key))
        }
        return unsafeDowncast(map, to: self)
    }
}

extension Map: AnyObservableCollection {
    var reference: CollectionReference? { references?.keys }
    var elementCount: Int { count }

    func assignAny(_ other: Any?) -> Bool {
        guard let other = Map._fromAny(other) else { return false }
        assign(other)
        return true
    }

    var snapshotValue: Any {
        Dictionary(entries.map { ($0.key._mapKey, $0.value as Any) }, uniquingKeysWith: { first, _ in first })
    }

    func elements(at indices: [Int]) -> [Any] { [] }
}
