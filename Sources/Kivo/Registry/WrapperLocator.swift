import KivoEngine

/// Finds the persisted and the ignored properties of a class: their names, types, and where their wrappers are in an
/// instance.
///
/// Reflection (`Mirror`) tells names and types, superclasses first, but not addresses. A fresh wrapper's column
/// field holds a known pattern, so the candidates for the next wrapper are the places where the pattern is; a
/// candidate is taken only if a number written there shows up in the mirror's child. Nothing else is assumed about
/// the layout, and the prototype is all that is ever written to.
enum WrapperLocator {
    struct Found {
        var name: String
        var wrapper: any AnyPersisted.Type
        var type: DeclaredType
        /// The low bits of the pattern: how the property was declared.
        var declaration: UInt32
        var offset: Int
        /// Whether the class declares it itself, and no superclass.
        var isOwn: Bool
        /// Whether links of the property own their targets.
        var isOwning: Bool
    }

    struct Class {
        /// The persisted properties.
        var wrappers: [Found] = []
        var ignored: [IgnoredPropertyInfo] = []
        /// Whether the class stores nothing but persisted properties.
        var isComplete = false
        /// The class and its superclasses, itself last.
        var ancestors: [ObjectIdentifier] = []
        /// Properties that are collections, but have no wrapper, and their types.
        var bareCollections: [(name: String, type: String)] = []
    }

    /// The wrappers of a class.
    static func locate(in type: ObjectBase.Type) -> Class {
        let prototype = type.init()
        let base = Unmanaged.passUnretained(prototype).toOpaque()
        let children = wrappers(of: prototype)
        var found = Class()
        // The first word of an object is its metadata, the second its reference count.
        var position = 2 * MemoryLayout<Int>.size
        for (index, child) in children.enumerated() {
            let wrapper = Swift.type(of: child.wrapper)
            position = next(base, from: position) { candidate in
                (base + candidate).storeBytes(of: marker, as: UInt32.self)
                defer { (base + candidate).storeBytes(of: child.wrapper.column, as: UInt32.self) }
                return wrappers(of: prototype)[index].wrapper.column == marker
            }
            let offset = position - wrapper.columnOffset
            position += 4
            if let wrapper = wrapper as? any AnyIgnored.Type {
                let column = PersistedColumn.firstIgnored + found.ignored.count
                found.ignored.append(IgnoredPropertyInfo(child.name, column, wrapper, offset))
            } else if let wrapper = wrapper as? any AnyPersisted.Type {
                var declared = DeclaredType()
                wrapper.describe(&declared)
                declared.originProperty = wrapper.originProperty(base + offset)
                found.wrappers.append(
                    Found(
                        name: child.name, wrapper: wrapper, type: declared,
                        declaration: child.wrapper.column & 0xFF, offset: offset, isOwn: child.isOwn,
                        isOwning: declared.collection != .linkingObjects
                            && declared.target is EmbeddedObject.Type))
            }
        }
        found.isComplete = storedCount(of: prototype) == found.wrappers.count
        found.bareCollections = bareCollections(of: prototype)
        found.ancestors = levels(of: prototype).map { ObjectIdentifier($0.subjectType) }
        return withExtendedLifetime(prototype) { found }
    }

    /// The number of stored properties that a class and its superclasses declare, Kivo's own left out.
    private static func storedCount(of object: ObjectBase) -> Int {
        levels(of: object).reduce(0) { $0 + ($1.subjectType == ObjectBase.self ? 0 : $1.children.count) }
    }

    /// The properties that are collections, but have no wrapper.
    private static func bareCollections(of object: ObjectBase) -> [(name: String, type: String)] {
        var found: [(name: String, type: String)] = []
        for child in levels(of: object).flatMap(\.children) {
            var type = DeclaredType()
            (Swift.type(of: child.value) as? any _Persistable.Type)?._describe(&type)
            guard let name = child.label, type.collection != .none else { continue }
            found.append((name, "\(Swift.type(of: child.value))"))
        }
        return found
    }

    static let marker: UInt32 = 0x1234_5678

    /// The next place that holds the pattern and passes the test. There is one before the object ends, since each
    /// child of the mirror is a wrapper inside of it and wrappers come in the order of the children.
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

    /// The mirrors of an object, superclasses first.
    static func levels(of object: AnyObject) -> [Mirror] {
        var levels: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            levels.append(level)
            mirror = level.superclassMirror
        }
        return levels.reversed()
    }

    private static func wrappers(
        of object: ObjectBase
    ) -> [(name: String, wrapper: any LocatedWrapper, isOwn: Bool)] {
        var found: [(name: String, wrapper: any LocatedWrapper, isOwn: Bool)] = []
        for level in levels(of: object) {
            for child in level.children {
                guard let wrapper = child.value as? any LocatedWrapper, let label = child.label else {
                    continue
                }
                found.append((String(label.dropFirst()), wrapper, level.subjectType == type(of: object)))
            }
        }
        return found
    }
}
