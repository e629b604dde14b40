import KivoEngine

/// The holder of linking objects in a bare property, without a target until its object is managed. See ``BareDeclaration``.
/// Confined with the object.
@usableFromInline
final class LinkDeclaration {
    /// The target whose origins these are; nil while the object is unmanaged.
    @exclusivity(unchecked) var target: LinkTarget?
    /// The recorder, if the object is a recording instance.
    var recorder: KeyPathRecorder?
}

extension LinkingObjects: BareDeclaration {
    static var bareColumn: any AnyPersisted.Type { BareLinkingObjects<Element>.self }
    static var holderOffset: Int { MemoryLayout<Self>.offset(of: \.declaration)! }
    static func makeHolder() -> AnyObject { LinkDeclaration() }
    var holder: AnyObject? { declaration }
}

/// The substitute of the wrapper for linking objects in a bare property.
enum BareLinkingObjects<Element: ObjectBase>: AnyPersisted {
    /// True although nothing is cached, so that the holder is attached when its object becomes managed.
    static var isCached: Bool { true }
    static var valueType: Any.Type { LinkingObjects<Element>.self }
    static func describe(_ type: inout DeclaredType) { LinkingObjects<Element>.describe(&type) }

    private static func objects(_ address: UnsafeMutableRawPointer) -> LinkingObjects<Element> {
        address.assumingMemoryBound(to: LinkingObjects<Element>.self).pointee
    }

    static func originProperty(_ address: UnsafeMutableRawPointer) -> String? {
        objects(address).originProperty
    }
    static func unmanagedValue(_ address: UnsafeMutableRawPointer) -> Any? { objects(address) }
    static func linkedObject(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }
    static func takeLink(_ address: UnsafeMutableRawPointer) -> ObjectBase? { nil }
    static func setUnmanagedValue(_ address: UnsafeMutableRawPointer, _ any: Any?) -> Bool { false }

    static func value(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int) -> Any? {
        objects(address)
    }

    static func setValue(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ any: Any?
    ) -> Bool { false }

    static func promote(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int, _ adder: ObjectAdder
    ) {}

    static func promote(
        _ any: Any?, _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int,
        _ adder: ObjectAdder
    ) -> Bool { false }

    static func cachedCollection(_ address: UnsafeMutableRawPointer) -> AnyObject? { nil }
    static func held(_ address: UnsafeMutableRawPointer) -> AnyObject? { nil }

    static func renew(_ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ property: PropertyInfo) {
        guard let declaration = objects(address).declaration else { return }
        if let recorder = owner.kivoRecorder {
            declaration.recorder = recorder
            recorder.expect(declaration, of: owner, property)
        } else {
            declaration.target = LinkTarget(owner, property)
        }
    }

    static func value(of cell: Cell, _ context: CollectionContext) -> Any? { nil }
}
