/// Names of typed key paths.
enum KeyPathName {
    /// The dotted name of a key path. Traps if it passes through something that is not persisted.
    static func of<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> String {
        guard let name = KeyPathRecorder.name(of: keyPath, root: Root.self) else {
            trap(
                "Key path '\(keyPath)' does not lead to a persisted property of class '\(Root.className())'.")
        }
        return name
    }
}

/// The dotted name of a key path, as `filter`, `sorted(byKeyPath:)` and `observe(keyPaths:)` take it: `"owner.name"` for
/// `\Dog.owner?.name`. Traps if it passes through something that is not persisted.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String { KeyPathName.of(keyPath) }
