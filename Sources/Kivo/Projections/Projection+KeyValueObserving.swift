import Foundation

extension Projection {
    /// Registers a key-value observer with the root, for the key path that a projected property shows. Notifications name the
    /// root and its key path.
    ///
    /// - Parameters:
    ///   - observer: the observer to notify; held weakly.
    ///   - keyPath: the name of a projected property, or a path that begins with one.
    ///   - options: the values and the calls that the observer wants.
    ///   - context: passed with each notification; it also distinguishes registrations.
    ///
    /// See ``KeyValueObservable/addObserver(_:forKeyPath:options:context:)``.
    ///
    /// - Precondition: There is a property of that name, and it shows one property of the root. If it shows several, observe
    ///   those of the root itself.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer? = nil
    ) {
        rootObject.addObserver(observer, forKeyPath: rootKeyPath(keyPath), options: options, context: context)
    }

    /// Removes the last registration of an observer for a projected property, with any context.
    ///
    /// - Precondition: There is a registration of the observer.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        rootObject.removeObserver(observer, forKeyPath: rootKeyPath(keyPath))
    }

    /// Removes a registration of an observer for a projected property with a context.
    ///
    /// - Precondition: There is a registration of the observer.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        rootObject.removeObserver(observer, forKeyPath: rootKeyPath(keyPath), context: context)
    }

    /// Returns the root's key path that a projected property shows, followed by the rest of the given key path.
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
        // Key-value observing leads to collections, but not into them.
        let path = property.isCollection ? property.paths[0][0] : property.rootPaths[0]
        return ([path] + parts.dropFirst()).joined(separator: ".")
    }
}
