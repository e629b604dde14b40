import KivoEngine

/// Finds the persisted properties of a class: their names, types, and where their wrappers are in an instance.
///
/// Reflection (`Mirror`) tells names and types, superclasses first, but not addresses. A fresh wrapper's column
/// field holds a known pattern, so the candidates for the next wrapper are the places where the pattern is; a
/// candidate is taken only if a number written there shows up in the mirror's child. Nothing else is assumed about
/// the layout, and the prototype is all that is ever written to.
enum WrapperLocator {
    struct Found {
        var name: String
        var wrapper: any AnyPersisted.Type
        var type: PropertyType
        /// The low bits of the pattern: how the property was declared.
        var declaration: UInt32
        var offset: Int
    }

    /// The wrappers of a class, and whether it stores nothing else.
    static func locate(in type: ObjectBase.Type) -> (wrappers: [Found], isComplete: Bool) {
        let prototype = type.init()
        let base = Unmanaged.passUnretained(prototype).toOpaque()
        let children = wrappers(of: prototype)
        var found: [Found] = []
        // The first word of an object is its metadata, the second its reference count.
        var position = 16
        for (index, child) in children.enumerated() {
            let wrapper = Swift.type(of: child.wrapper)
            position = next(base, from: position) { candidate in
                (base + candidate).storeBytes(of: marker, as: UInt32.self)
                defer { (base + candidate).storeBytes(of: child.wrapper.column, as: UInt32.self) }
                return wrappers(of: prototype)[index].wrapper.column == marker
            }
            let offset = position - wrapper.columnOffset
            var propertyType = PropertyType()
            wrapper.describe(&propertyType)
            propertyType.originProperty = wrapper.originProperty(base + offset)
            found.append(
                Found(
                    name: child.name, wrapper: wrapper, type: propertyType,
                    declaration: child.wrapper.column & 0xFF, offset: offset))
            position += 4
        }
        let isComplete = storedCount(of: prototype) == found.count
        return withExtendedLifetime(prototype) { (found, isComplete) }
    }

    /// The number of stored properties that a class and its superclasses declare, Kivo's own left out.
    private static func storedCount(of object: ObjectBase) -> Int {
        levels(of: object).reduce(0) { $0 + ($1.subjectType == ObjectBase.self ? 0 : $1.children.count) }
    }

    private static let marker: UInt32 = 0x1234_5678

    /// The next place that holds the pattern and passes the test. There is one before the object ends, since each
    /// child of the mirror is a wrapper inside of it and wrappers come in the order of the children.
    private static func next(
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
    private static func levels(of object: ObjectBase) -> [Mirror] {
        var levels: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            levels.append(level)
            mirror = level.superclassMirror
        }
        return levels.reversed()
    }

    private static func wrappers(of object: ObjectBase) -> [(name: String, wrapper: any AnyPersisted)] {
        var found: [(name: String, wrapper: any AnyPersisted)] = []
        for level in levels(of: object) {
            for child in level.children {
                guard let wrapper = child.value as? any AnyPersisted, let label = child.label else {
                    continue
                }
                found.append((String(label.dropFirst()), wrapper))
            }
        }
        return found
    }
}
