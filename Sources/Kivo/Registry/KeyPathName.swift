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
