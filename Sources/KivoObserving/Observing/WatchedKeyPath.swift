/// A component of a key path.
package enum KeyPathComponent {
    case key(String)
    /// A computed property that has no name.
    case computed(AnyKeyPath)
    /// The rest of a key path after a collection operator begins, which is evaluated but not watched.
    case operation(String)

    /// Returns the component's value on an observed object, or nil if there is none.
    func read(_ object: AnyObject, _ subjectClass: any SubjectClass) -> Any? {
        switch self {
        case .key(let name): subjectClass.value(of: object, name)
        case .computed(let keyPath): subjectClass.value(of: object, keyPath)
        case .operation(let path): KeyValueCoding.value(of: object, forKeyPath: path)
        }
    }
}

/// A key path, split into components for observing. Immutable once it is shared.
@usableFromInline
package final class WatchedKeyPath: @unchecked Sendable {
    // Proof of `Sendable`: `head` is set before the key path is shared, and nothing else changes.

    /// The key path as it was written.
    package let text: String
    package let components: [KeyPathComponent]
    /// Whether values are read through the typed key path, because it leads to a property that is not a collection.
    @usableFromInline let isDirect: Bool
    /// The storage of the value in an instance, if the typed key path is a single stored property.
    @usableFromInline let storage: StoredProperty
    /// The key of the first component, if the key path was split for a known class. The key path is then already checked.
    package private(set) var head: ObservedKey?
    /// The typed key path of a single property, by which the class's typed rules identify it.
    package let typed: AnyKeyPath?
    /// The typed key path, if it continues in an object that did not exist when the key path was split.
    let partial: AnyKeyPath?

    /// The place of a property's value in an instance.
    @usableFromInline
    package enum StoredProperty {
        /// There is none, or it is unknown.
        case none
        /// A wrapper begins at the offset, with the value as its first field.
        case value(at: Int)
        /// A wrapper begins at the offset, with the optional value as its first field: nil before the first use.
        case optional(at: Int)
    }

    package init(
        _ text: String, _ components: [KeyPathComponent], isDirect: Bool = false,
        storage: StoredProperty = .none, typed: AnyKeyPath? = nil, partial: AnyKeyPath? = nil
    ) {
        self.text = text
        self.components = components
        self.isDirect = isDirect
        self.storage = storage
        self.typed = typed
        self.partial = partial
    }

    /// Creates a key path from its name.
    package convenience init(_ text: String) { self.init(text, WatchedKeyPath.split(text)) }

    private static func split(_ text: String) -> [KeyPathComponent] {
        guard text.utf8.contains(UInt8(ascii: ".")) else { return [.key(text)] }
        var components: [KeyPathComponent] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            if rest.first == "@", !components.isEmpty {
                components.append(.operation(String(rest)))
                break
            }
            let end = rest.firstIndex(of: ".") ?? rest.endIndex
            components.append(.key(String(rest[..<end])))
            rest = end == rest.endIndex ? "" : rest[rest.index(after: end)...]
        }
        return components
    }

    /// Stores the key of the first component. Called before the key path is shared.
    package func setHead(_ subjectClass: any SubjectClass) { head = subjectClass.key(of: components[0]) }
}
