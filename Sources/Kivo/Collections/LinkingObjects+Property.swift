import KivoEngine

/// Linking objects as the value of a persisted property.
extension LinkingObjects: _Persistable {
    public typealias PersistedType = LinkingObjects<Element>
    public static func _makeDefault() -> LinkingObjects {
        trap("'LinkingObjects<\(Element.className())>' needs '@Persisted(originProperty:)'.")
    }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isCached: Bool { false }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self { trap("not a scalar") }
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> LinkingObjects {
        LinkingObjects(LinkTarget(owner, owner.kivoContext.info.property(column: property)))
    }
    public static func _set(_ value: LinkingObjects, _ owner: ObjectBase, _ property: Int) {
        let info = owner.kivoContext.info
        trap("Linking objects '\(info.name).\(info.property(column: property).name)' cannot be assigned.")
    }
    public static func _promote(
        _ value: inout LinkingObjects?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {}
    public static func _record(_ owner: ObjectBase, _ property: Int) -> LinkingObjects {
        owner.kivoRecord(property)
        return owner.kivoRecorder?.element(Element.self).map { LinkingObjects(recorded: $0) }
            ?? LinkingObjects(originProperty: "")
    }
    public static func _describe(_ type: inout DeclaredType) {
        type.collection = .linkingObjects
        type.target = Element.self
    }
    public static func _originProperty(_ value: LinkingObjects?) -> String? { value?.originProperty }
    public static func _toAny(_ value: LinkingObjects) -> Any? { value }
    public static func _fromAny(_ any: Any?) -> LinkingObjects? { nil }
}

extension Persisted {
    /// Creates the inverse of a property of another class: the objects of that class that link here through it.
    ///
    /// Traps at the first use of the class if there is no such property or it does not link to this class.
    public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
        stored = LinkingObjects(originProperty: originProperty)
        column = PersistedColumn.unbound
    }
}
