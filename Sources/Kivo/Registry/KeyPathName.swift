/// Names of typed key paths.
enum KeyPathName {
    /// Returns the dotted name of a key path. Traps if it passes through a property that is not persisted.
    static func of<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> String {
        guard let name = KeyPathRecorder.name(of: keyPath, root: Root.self) else {
            trap(
                "Key path '\(keyPath)' does not lead to a persisted property of class '\(Root.className())'.")
        }
        return name
    }
}

/// Returns the dotted name of a key path, as used by `filter`, `sorted(byKeyPath:)` and `observe(keyPaths:)`: `"owner.name"` for
/// `\Dog.owner?.name`. Traps if it passes through a property that is not persisted.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String { KeyPathName.of(keyPath) }
