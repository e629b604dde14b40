import Foundation
import KivoEngine

/// A search for the persisted and the ignored properties of a class: their names, types, and the offsets of their wrappers in an
/// instance.
///
/// Reflection (`Mirror`) returns names and types, superclasses first, but not addresses. The column field of a new wrapper holds
/// a known pattern, so the candidates for the next wrapper are the positions of that pattern. A candidate is accepted only if a
/// number written there appears in the mirror's child. A property without a wrapper holds a known reference, and is found in the
/// same way (see ``BareDeclaration``). The locator makes no other assumptions about the layout, and writes only to the prototype.
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
        /// Whether the class itself declares the property, and not a superclass.
        var isOwn: Bool
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
        /// The class that declares it.
        let type: Any.Type
    }

    /// Returns the persisted and ignored properties of a class.
    static func locate(in type: ObjectBase.Type) -> Declarations {
        let prototype = type.init()
        let base = Unmanaged.passUnretained(prototype).toOpaque()
        let children = children(of: prototype)
        var declarations = Declarations()
        // The first word of an object is its metadata, the second its reference count.
        var position = 2 * MemoryLayout<Int>.size
        for (index, child) in children.enumerated() {
            if let wrapper = child.value as? any LocatedWrapper {
                position = next(base, from: position) { candidate in
                    (base + candidate).storeBytes(of: marker, as: UInt32.self)
                    defer { (base + candidate).storeBytes(of: wrapper.column, as: UInt32.self) }
                    return (self.children(of: prototype)[index].value as? any LocatedWrapper)?.column
                        == marker
                }
                let offset = position - Swift.type(of: wrapper).columnOffset
                position += 4
                declarations.append(wrapper, child.name, at: offset, base, isOwn: child.type == type)
            } else if let bare = child.value as? any BareDeclaration, let holder = bare.holder {
                let other = Swift.type(of: bare).makeHolder()
                let word = nextHolder(base, from: position, of: holder) { candidate in
                    let address = base + candidate
                    address.storeBytes(
                        of: Unmanaged.passUnretained(other).toOpaque(), as: UnsafeRawPointer.self)
                    defer {
                        address.storeBytes(
                            of: Unmanaged.passUnretained(holder).toOpaque(), as: UnsafeRawPointer.self)
                    }
                    let value = self.children(of: prototype)[index].value as? any BareDeclaration
                    return value?.holder === other
                }
                let offset = word - Swift.type(of: bare).holderOffset
                position = word + MemoryLayout<Int>.size
                declarations.append(bare, child.name, at: offset, base, isOwn: child.type == type)
            } else {
                checkLinking(of: child.value, type, child.name)
            }
        }
        declarations.isComplete =
            children.count == declarations.wrappers.count && !declarations.wrappers.contains(where: \.isBare)
        declarations.ancestors = levels(of: prototype).map { ObjectIdentifier($0.subjectType) }
        return withExtendedLifetime(prototype) { declarations }
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

    static let marker: UInt32 = 0x1234_5678

    /// Returns the next position that holds the pattern and passes the test. There is one before the end of the object: each
    /// child of the mirror is a wrapper inside of it, and wrappers are in the order of the children.
    static func next(
        _ base: UnsafeMutableRawPointer, from position: Int, _ test: (Int) -> Bool
    ) -> Int {
        var position = position
        while true {
            let word = (base + position).load(as: UInt32.self)
            if PersistedColumn.isUnbound(word), test(position) { return position }
            position += 4
        }
    }

    /// Returns the next position that holds the address of a holder and passes the test. There is one for the same reason.
    private static func nextHolder(
        _ base: UnsafeMutableRawPointer, from position: Int, of holder: AnyObject, _ test: (Int) -> Bool
    ) -> Int {
        let address = UInt(bitPattern: Unmanaged.passUnretained(holder).toOpaque())
        var word = (position + MemoryLayout<UInt>.alignment - 1) & -MemoryLayout<UInt>.alignment
        while true {
            if (base + word).load(as: UInt.self) == address, test(word) { return word }
            word += MemoryLayout<UInt>.size
        }
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
    private static func children(of object: ObjectBase) -> [Child] {
        levels(of: object).flatMap { level in
            level.subjectType == ObjectBase.self
                ? []
                : level.children.map {
                    Child(name: $0.label ?? "", value: $0.value, type: level.subjectType)
                }
        }
    }
}

extension WrapperLocator.Declarations {
    /// Adds a property with a wrapper. Its name in reflection begins with an underscore.
    fileprivate mutating func append(
        _ wrapper: any LocatedWrapper, _ label: String, at offset: Int, _ base: UnsafeMutableRawPointer,
        isOwn: Bool
    ) {
        let name = String(label.dropFirst())
        if let type = type(of: wrapper) as? any AnyIgnored.Type {
            let column = PersistedColumn.firstIgnored + ignored.count
            ignored.append(IgnoredPropertyInfo(name, column, type, offset))
        } else if let type = type(of: wrapper) as? any AnyPersisted.Type {
            wrappers.append(
                WrapperLocator.LocatedProperty(
                    name, type, at: offset, base, declaration: wrapper.column & 0xFF, isOwn: isOwn))
        }
    }

    /// Adds a property without a wrapper.
    fileprivate mutating func append(
        _ bare: any BareDeclaration, _ name: String, at offset: Int, _ base: UnsafeMutableRawPointer,
        isOwn: Bool
    ) {
        var property = WrapperLocator.LocatedProperty(
            name, Swift.type(of: bare).bareColumn, at: offset, base, declaration: 0, isOwn: isOwn)
        property.bareType = Swift.type(of: bare)
        wrappers.append(property)
    }
}

extension WrapperLocator.LocatedProperty {
    /// Creates a property of a prototype from the description by its wrapper type.
    fileprivate init(
        _ name: String, _ wrapper: any AnyPersisted.Type, at offset: Int, _ base: UnsafeMutableRawPointer,
        declaration: UInt32, isOwn: Bool
    ) {
        var declared = DeclaredType()
        wrapper.describe(&declared)
        declared.originProperty = wrapper.originProperty(base + offset)
        self.init(
            name: name, wrapper: wrapper, type: declared, declaration: declaration, offset: offset,
            isOwn: isOwn,
            isOwning: declared.collection != .linkingObjects && declared.target is EmbeddedObject.Type)
    }
}

/// A test that determines whether a typed key path is a persisted property or is computed from one. The value of a persisted
/// property can be read from its storage.
///
/// A key path does not contain that information. But a property returns any value that is put into its storage, and a computed
/// property does not. So the probe stores a few values that no usual computation leaves unchanged, and compares the results. A
/// key path without a setter is computed in any case. There is one exception: a computed property that returns the stored value
/// unless some other state changes it. It would be taken for the property; but then it depends on that state without declaring
/// so.
enum StorageProbe {
    /// Returns the storage offset of a property of unmanaged objects, if a key path is that property.
    static func offset(_ keyPath: AnyKeyPath, _ property: PropertyInfo, in type: ObjectBase.Type) -> Int? {
        // A subclass may override the properties of its superclass.
        property.isOwn && isProperty(keyPath, property, in: type) ? property.offset : nil
    }

    /// Returns whether a key path is a property of a class, for objects of exactly this class.
    static func isProperty(_ keyPath: AnyKeyPath, _ property: PropertyInfo, in type: ObjectBase.Type) -> Bool
    {
        guard property.wrapper.valueType == Swift.type(of: keyPath).valueType, isWritable(keyPath),
            let samples = samples(property.type)
        else { return false }
        let instance: ObjectBase = type.init()
        let address = property.address(in: instance)
        for sample in samples {
            guard property.wrapper.setUnmanagedValue(address, sample),
                let value = hashable(instance[keyPath: keyPath]), value == sample
            else { return false }
        }
        return true
    }

    /// Returns values of a type. No computation is likely to leave all of them unchanged.
    private static func samples(_ type: DeclaredType) -> [AnyHashable]? {
        guard type.collection == .none, !type.isMapped, let scalar = type.scalar else { return nil }
        switch scalar {
        case .bool: return [true, false]
        case .int: return [-8_104_725_066_403_214, 7_345_210_661_234_587]
        case .int64: return [Int64(-8_104_725_066_403_214), Int64(7_345_210_661_234_587)]
        case .int32: return [Int32(-1_904_725_061), Int32(1_845_210_667)]
        case .double: return [-8.104725066403214e17, 7.345210661234587e-9, 31.75]
        case .string: return [" aB\u{1F9ED}\tÿ  ", "Zy. x\n", ""]
        case .date: return [-54321.123, 987654321.5].map { Date(timeIntervalSinceReferenceDate: $0) }
        case .uuid: return [UUID(), UUID()]
        case .int8, .int16, .float, .data, .objectId, .decimal128, .any: return nil
        }
    }
}
