import KivoEngine

/// One part of a key path.
enum KeyPathComponent {
    case key(String)
    /// A computed property that has no name.
    case computed(AnyKeyPath)
    /// The rest of a key path from a collection operator on, which is evaluated but not watched.
    case operation(String)

    /// The value of this part of an object; nil if it has none. What died has its `isInvalidated` only.
    func read(_ object: AnyObject) -> Any? {
        switch self {
        case .key(let name):
            if let object = object as? ObjectBase { return object.kivoObservedValue(name) }
            return (object as? any ModelCollection)?.observedValue(name)
        case .computed(let keyPath):
            guard let object = object as? ObjectBase, !object.isInvalidated else { return nil }
            return object[keyPath: keyPath]
        case .operation(let path): return KeyValueCoding.value(of: object, forKeyPath: path)
        }
    }
}

/// A key path, taken apart for observing. Immutable once it is shared.
@usableFromInline
final class WatchedKeyPath: @unchecked Sendable {
    /// The key path as it is written.
    let text: String
    let components: [KeyPathComponent]
    /// Whether the values of a typed key path are read through it: it leads to a property that is no collection.
    let isDirect: Bool
    /// Where an unmanaged object stores the value, if a typed key path is a property that is stored; else negative.
    let offset: Int
    /// The key of the first part, if the class is known for which the key path was taken apart. The path was checked.
    private(set) var head: ObservedKey?
    /// The typed key path, if it is one of a single property, for the class's typed rules.
    let typed: AnyKeyPath?

    init(
        _ text: String, _ components: [KeyPathComponent], isDirect: Bool = false, offset: Int? = nil,
        typed: AnyKeyPath? = nil
    ) {
        self.text = text
        self.components = components
        self.isDirect = isDirect
        self.offset = offset ?? -1
        self.typed = typed
    }

    /// A key path by name.
    convenience init(_ text: String) { self.init(text, WatchedKeyPath.split(text)) }

    private static func split(_ text: String) -> [KeyPathComponent] {
        guard text.contains(".") else { return [.key(canonical(text))] }
        var components: [KeyPathComponent] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            if rest.first == "@", !components.isEmpty {
                components.append(.operation(String(rest)))
                break
            }
            let end = rest.firstIndex(of: ".") ?? rest.endIndex
            components.append(.key(canonical(String(rest[..<end]))))
            rest = end == rest.endIndex ? "" : rest[rest.index(after: end)...]
        }
        return components
    }

    private static func canonical(_ key: String) -> String { key == "invalidated" ? "isInvalidated" : key }

    /// The persisted or the ignored property that the key path leads to from a class, if it leads to one.
    func property(from info: ClassInfo) -> (persisted: PropertyInfo?, ignored: IgnoredPropertyInfo?) {
        var info = info
        for (index, component) in components.enumerated() {
            guard case .key(let name) = component else { break }
            let isLast = index + 1 == components.count
            let target: ObjectBase.Type?
            if let property = info.property(named: name) {
                if isLast { return (property, nil) }
                target = property.type.collection == .none ? property.type.target : nil
            } else if let property = info.ignoredProperty(named: name) {
                if isLast { return (nil, property) }
                target = property.wrapper.target
            } else {
                break
            }
            guard let target else { break }
            info = Registry.info(target)
        }
        return (nil, nil)
    }

    func setHead(_ info: ClassInfo) { head = info.observedKey(components[0]) }

    /// Traps if the key path cannot be observed from a class: it leads to linking objects or into the elements of a
    /// collection. Names that are not known are not looked into.
    func check(from info: ClassInfo) {
        var info = info
        for (index, component) in components.enumerated() {
            guard case .key(let name) = component, let property = info.property(named: name) else { return }
            if property.type.collection == .linkingObjects {
                trap(
                    """
                    Linking objects '\(info.name).\(name)' cannot be observed by key-value observing: use \
                    'LinkingObjects.observe'.
                    """)
            }
            guard index + 1 < components.count else { return }
            if property.type.collection != .none {
                if case .key(let next) = components[index + 1], next != "isInvalidated" {
                    trap(
                        """
                        Key path '\(text)' of class '\(info.name)' leads into the elements of '\(name)', which cannot be \
                        observed: observe '\(name)' or, of the elements, each by itself.
                        """)
                }
                return
            }
            guard let target = property.type.target else { return }
            info = Registry.info(target)
        }
    }
}

/// What an observer of an object is registered for, and what a change of it is of.
struct ObservedKey: Hashable {
    /// A column, the number of an ignored property, or one of the numbers below.
    let column: Int
    /// The name, of what has no number.
    let name: String
    /// The computed property, of what has no name.
    let keyPath: AnyKeyPath?

    static var invalidated: ObservedKey { ObservedKey(column: -1, name: "isInvalidated", keyPath: nil) }

    static func column(_ column: Int, _ name: String) -> ObservedKey {
        ObservedKey(column: column, name: name, keyPath: nil)
    }
    static func named(_ name: String) -> ObservedKey { ObservedKey(column: -2, name: name, keyPath: nil) }
    static func computed(_ keyPath: AnyKeyPath) -> ObservedKey {
        ObservedKey(column: -3, name: "", keyPath: keyPath)
    }

    static func == (a: ObservedKey, b: ObservedKey) -> Bool {
        guard a.column == b.column else { return false }
        return a.column >= -1 || (a.name == b.name && a.keyPath == b.keyPath)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(column)
        if column >= -1 { return }
        hasher.combine(name)
        hasher.combine(keyPath)
    }
}
