import Foundation
import KivoEngine

/// A search for the persisted and the ignored properties of a class: their names, types, and the offsets of their wrappers in an
/// instance.
///
/// Reflection (`Mirror`) returns names and types, superclasses first, but not addresses. ``FieldSearch`` finds these: the column
/// field of a new wrapper holds a known pattern, and a property without a wrapper holds a known reference (see
/// ``BareDeclaration``). The locator makes no other assumptions about the layout, and writes only to the prototype.
///
/// The types that it finds declare their conformances in the files of the types. No symbol refers to a conformance, and a linker
/// takes only those files from an archive to which symbols refer.
enum WrapperLocator {
    /// A property of a class, as it was located in a prototype.
    struct LocatedProperty {
        var name: String
        var wrapper: any AnyPersisted.Type
        var type: DeclaredType
        /// The low bits of the pattern, which encode the declaration of the property.
        var declaration: UInt32
        var offset: Int
        /// Whether links of the property own their targets.
        var isOwning: Bool
        /// The type of a property without a wrapper.
        var bareType: Any.Type?

        var isBare: Bool { bareType != nil }
    }

    struct Declarations {
        /// The persisted properties.
        var wrappers: [LocatedProperty] = []
        var ignored: [IgnoredPropertyInfo] = []
        /// Whether the class stores nothing but persisted properties, in wrappers.
        var isComplete = false
        /// The class and its superclasses, itself last.
        var ancestors: [ObjectIdentifier] = []
    }

    /// A stored property in reflection.
    private struct Child {
        let name: String
        let value: Any
    }

    /// Returns the persisted and ignored properties of a class.
    static func locate(in type: ObjectBase.Type) -> Declarations {
        let prototype = type.init()
        let base = Unmanaged.passUnretained(prototype).toOpaque()
        let levels = levels(of: prototype)
        let children = children(of: levels)
        let fields = children.map { field(of: $0.value) }
        var declarations = Declarations()
        // The first word of an object is its metadata, the second its reference count.
        let found = FieldSearch.positions(
            in: prototype, from: 2 * MemoryLayout<Int>.size, of: fields.compactMap(\.self)
        ) {
            zip(self.children(of: self.levels(of: prototype)), fields).compactMap { child, field in
                field == nil ? nil : self.field(of: child.value)
            }
        }
        guard let positions = found else { FieldSearch.trapNotFound(in: type) }
        var next = positions.makeIterator()
        for (child, field) in zip(children, fields) {
            guard field != nil, let position = next.next() else {
                checkLinking(of: child.value, type, child.name)
                continue
            }
            declarations.append(child.value, child.name, at: position, base)
        }
        declarations.isComplete =
            children.count == declarations.wrappers.count && !declarations.wrappers.contains(where: \.isBare)
        declarations.ancestors = levels.map { ObjectIdentifier($0.subjectType) }
        return withExtendedLifetime(prototype) { declarations }
    }

    /// Returns the field by which a property is found, or nil if the value declares none.
    private static func field(of value: Any) -> FieldSearch.Field? {
        if let wrapper = value as? any LocatedWrapper { return .column(wrapper.column) }
        guard let bare = value as? any BareDeclaration, let holder = bare.holder else { return nil }
        return .holder(holder, make: Swift.type(of: bare).makeHolder)
    }

    /// Traps if a child is a wrapper of this module that is not recognized as one: the linker omitted its conformance.
    private static func checkLinking(of value: Any, _ type: ObjectBase.Type, _ label: String) {
        // The name of the generic type, with any argument.
        let name = String(reflecting: Swift.type(of: value))
        guard ["Kivo.Persisted<", "Kivo.Ignored<"].contains(where: name.hasPrefix) else { return }
        trap(
            """
            Property '\(type).\(label.dropFirst())' is not recognized: the linker left a part of Kivo out of the program. Link \
            Kivo's archive as a whole, for instance with '-Xlinker --whole-archive'.
            """)
    }

    /// Returns the mirrors of an object, superclasses first.
    static func levels(of object: AnyObject) -> [Mirror] {
        var levels: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            levels.append(level)
            mirror = level.superclassMirror
        }
        return levels.reversed()
    }

    /// Returns the stored properties of a class and its superclasses, except for Kivo's own.
    private static func children(of levels: [Mirror]) -> [Child] {
        levels.flatMap { level in
            level.subjectType == ObjectBase.self
                ? []
                : level.children.map {
                    Child(name: $0.label ?? "", value: $0.value)
                }
        }
    }
}

extension WrapperLocator.Declarations {
    /// Adds the property that a value declares: a wrapper, whose label begins with an underscore, or a bare property. The position
    /// is that of the wrapper's column, or of the reference to the holder.
    fileprivate mutating func append(
        _ value: Any, _ label: String, at position: Int, _ base: UnsafeMutableRawPointer
    ) {
        if let bare = value as? any BareDeclaration {
            var property = WrapperLocator.LocatedProperty(
                label, Swift.type(of: bare).bareColumn, at: position - Swift.type(of: bare).holderOffset,
                base,
                declaration: 0)
            property.bareType = Swift.type(of: bare)
            wrappers.append(property)
            return
        }
        guard let wrapper = value as? any LocatedWrapper else { return }
        let (name, offset) = (String(label.dropFirst()), position - type(of: wrapper).columnOffset)
        if let type = type(of: wrapper) as? any AnyIgnored.Type {
            let column = PersistedColumn.firstIgnored + ignored.count
            ignored.append(IgnoredPropertyInfo(name, column, type, offset))
        } else if let type = type(of: wrapper) as? any AnyPersisted.Type {
            wrappers.append(
                WrapperLocator.LocatedProperty(
                    name, type, at: offset, base, declaration: wrapper.column & 0xFF))
        }
    }
}

extension WrapperLocator.LocatedProperty {
    /// Creates a property of a prototype from the description by its wrapper type.
    fileprivate init(
        _ name: String, _ wrapper: any AnyPersisted.Type, at offset: Int, _ base: UnsafeMutableRawPointer,
        declaration: UInt32
    ) {
        var declared = DeclaredType()
        wrapper.describe(&declared)
        declared.originProperty = wrapper.originProperty(base + offset)
        self.init(
            name: name, wrapper: wrapper, type: declared, declaration: declaration, offset: offset,
            isOwning: declared.collection != .linkingObjects && declared.target is EmbeddedObject.Type)
    }
}
