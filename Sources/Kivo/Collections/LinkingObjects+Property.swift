import KivoEngine

/// Linking objects as the value of a persisted property.
extension LinkingObjects: _Persistable {
    public typealias PersistedType = LinkingObjects<Element>
    @inlinable public static var _layout: _Layout<LinkingObjects<Element>> { _Layout(LinkingObjects.self) }
    public static var _access: _Access<LinkingObjects<Element>> { _Access(LinkingObjects.self) }
}

extension LinkingObjects: ReferenceLayout, PropertyLayout {
    @usableFromInline typealias Accessed = LinkingObjects<Element>

    @usableFromInline static func makeDefault() -> LinkingObjects {
        trap("'LinkingObjects<\(Element.className())>' needs '@Persisted(originProperty:)'.")
    }
    @inlinable static var isPlain: Bool { false }
}

extension LinkingObjects: NoElementAccess, NoOptionalAccess {
    static func get(_ owner: ObjectBase, _ property: Int) -> LinkingObjects {
        LinkingObjects(LinkTarget(owner, owner.kivoContext.info.property(column: property)))
    }
    static func set(_ value: LinkingObjects, _ owner: ObjectBase, _ property: Int) {
        let info = owner.kivoContext.info
        trap("Linking objects '\(info.name).\(info.property(column: property).name)' cannot be assigned.")
    }
    static func promote(
        _ value: inout LinkingObjects?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) {}
    static func record(_ owner: ObjectBase, _ property: Int) -> LinkingObjects {
        owner.kivoRecord(property)
        return owner.kivoRecorder?.element(Element.self).map { LinkingObjects(recorded: $0) }
            ?? LinkingObjects(originProperty: "")
    }
    static func describe(_ type: inout DeclaredType) {
        type.collection = .linkingObjects
        type.target = Element.self
    }
    static func originProperty(_ value: LinkingObjects?) -> String? { value?.originProperty }
    static func fromAny(_ any: Any?) -> LinkingObjects? { nil }
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
