import Foundation

extension Projection {
    /// Registers a key-value observer with the root, for the key path that a projected property shows. What the observer is
    /// told names the root and its key path.
    ///
    /// - Parameters:
    ///   - observer: is told of changes; held weakly.
    ///   - keyPath: the name of a projected property, or a path that begins with one. Traps if there is none of that name, or
    ///     if it shows several properties of the root: observe those of the root itself.
    ///   - options: what the observer wants to be told.
    ///   - context: handed back with each notification, and to tell registrations apart.
    ///
    /// See ``ObjectBase/addObserver(_:forKeyPath:options:context:)``.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer? = nil
    ) {
        rootObject.addObserver(observer, forKeyPath: rootKeyPath(keyPath), options: options, context: context)
    }

    /// Removes a registration of an observer for a projected property: the last one, whatever its context. Traps if there is
    /// none.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        rootObject.removeObserver(observer, forKeyPath: rootKeyPath(keyPath))
    }

    /// Removes a registration of an observer for a projected property with a context. Traps if there is none.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        rootObject.removeObserver(observer, forKeyPath: rootKeyPath(keyPath), context: context)
    }

    /// The key path of the root that a projected property shows, followed by what comes after the property's name.
    private func rootKeyPath(_ keyPath: String) -> String {
        let info = ProjectionInfo.of(self)
        let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let property = info.property(labelled: parts[0]), property.paths.count == 1 else {
            trap(
                """
                Projection '\(info.name)' has no property '\(parts[0])' that shows one key path of class \
                '\(Root.className())', so it cannot be observed by name.
                """)
        }
        // Key-value observing leads to collections, and not into them.
        let path = property.isCollection ? property.paths[0][0] : property.rootPaths[0]
        return ([path] + parts.dropFirst()).joined(separator: ".")
    }
}
