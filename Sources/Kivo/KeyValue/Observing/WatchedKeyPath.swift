import KivoEngine

/// A component of a key path.
enum KeyPathComponent {
    case key(String)
    /// A computed property that has no name.
    case computed(AnyKeyPath)
    /// The rest of a key path after a collection operator begins, which is evaluated but not watched.
    case operation(String)

    /// Returns the component's value on an observed object, or nil if there is none.
    func read(_ object: AnyObject) -> Any? {
        switch self {
        case .key(let name): ObservedSubject.value(of: object, name)
        case .computed(let keyPath): ObservedSubject.value(of: object, keyPath)
        case .operation(let path): KeyValueCoding.value(of: object, forKeyPath: path)
        }
    }
}

/// A key path, split into components for observing. Immutable once it is shared.
@usableFromInline
final class WatchedKeyPath: @unchecked Sendable {
    /// The key path as it was written.
    let text: String
    let components: [KeyPathComponent]
    /// Whether values are read through the typed key path, because it leads to a property that is not a collection.
    let isDirect: Bool
    /// The offset of the value in an unmanaged object, if the typed key path is a single stored property; otherwise negative.
    let offset: Int
    /// The key of the first component, if the key path was split for a known class. The key path is then already checked.
    private(set) var head: ObservedKey?
    /// The typed key path of a single property, by which the class's typed rules identify it.
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

    /// Creates a key path from its name.
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

    /// Returns the persisted or ignored property to which the key path leads from a class, if any.
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

    /// Traps if the key path cannot be observed from a class: it leads to linking objects or into the elements of a collection.
    /// Unknown names are not checked.
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
