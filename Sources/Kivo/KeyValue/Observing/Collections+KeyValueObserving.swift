import KivoEngine
import KivoObserving

extension ModelCollection {
    package var subjectClass: any SubjectClass { CollectionClass.only }

    /// The observations of the collection itself, or nil if none were ever needed.
    var observations: KeyValueObservations? {
        parent.ownObserver.map { unsafeDowncast($0, to: KeyValueObservations.self) }
    }

    /// Returns the observations of the collection itself, created on first use.
    func makeObservations() -> KeyValueObservations {
        if let known = observations { return known }
        let host = reference.map {
            RowHost(self, RowID(table: $0.id.table, key: $0.id.key), $0.instance)
        }
        let made = KeyValueObservations(self, CollectionClass.only, host: host)
        parent.ownObserver = made
        return made
    }

    /// Transfers the observations of an unmanaged collection to the managed collection that it has become.
    func moveObservations() {
        guard let transfer = observations?.end() else { return }
        parent.ownObserver = nil
        makeObservations().takeOver(transfer)
    }

    func addInvalidationObserver(
        _ observer: any KeyValueObserver, _ keyPath: String, _ options: NSKeyValueObservingOptions,
        _ context: UnsafeMutableRawPointer?, _ what: String
    ) {
        let path = WatchedKeyPath(keyPath)
        guard case .key(let key) = path.components[0], path.components.count == 1,
            key == "isInvalidated" || key == "invalidated"
        else {
            trap(
                """
                A \(what) can be observed for 'isInvalidated' only: observe '\(keyPath)' through the \(what)'s owner.
                """)
        }
        if reference?.instance.isFrozen == true {
            trap("A \(what) of a frozen realm does not change and cannot be observed.")
        }
        makeObservations().add(NamedObservation(observer, path, options, context))
    }

    func removeInvalidationObserver(
        _ observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??,
        _ what: String
    ) {
        if observations?.remove(observer, keyPath, context) ?? false { return }
        trap("Cannot remove an observer of '\(keyPath)' from a \(what): it is not registered.")
    }
}

extension List {
    /// Registers an observer of the list's `isInvalidated`, which is the only key of the list itself. The observer is held
    /// weakly.
    ///
    /// - Precondition: The key is `isInvalidated`: elements are observed through the property that holds the list.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        addInvalidationObserver(observer, keyPath, options, context, "list")
    }

    /// Registers an observer like ``addObserver(_:forKeyPath:options:context:)``, without a context.
    ///
    /// - Complexity: O(1).
    /// - Precondition: The key is `isInvalidated`.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = []
    ) {
        addInvalidationObserver(observer, keyPath, options, nil, "list")
    }

    /// Removes the last registration of an observer of `isInvalidated`, with any context.
    ///
    /// - Precondition: There is a registration of the observer.
    public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        removeInvalidationObserver(observer, keyPath, nil, "list")
    }

    /// Removes the last registration of an observer of `isInvalidated` with a context.
    ///
    /// - Precondition: There is a registration of the observer.
    public func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        removeInvalidationObserver(observer, keyPath, .some(context), "list")
    }
}

extension MutableSet {
    /// Registers an observer of the set's `isInvalidated`, which is the only key of the set itself. The observer is held weakly.
    ///
    /// - Precondition: The key is `isInvalidated`: elements are observed through the property that holds the set.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        addInvalidationObserver(observer, keyPath, options, context, "set")
    }

    /// Registers an observer like ``addObserver(_:forKeyPath:options:context:)``, without a context.
    ///
    /// - Complexity: O(1).
    /// - Precondition: The key is `isInvalidated`.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = []
    ) {
        addInvalidationObserver(observer, keyPath, options, nil, "set")
    }

    /// Removes the last registration of an observer of `isInvalidated`, with any context.
    ///
    /// - Precondition: A managed set is in a write transaction. There is a registration of the observer.
    public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        removeInvalidationObserver(observer, keyPath, nil, "set")
    }

    /// Removes the last registration of an observer of `isInvalidated` with a context.
    ///
    /// - Precondition: A managed set is in a write transaction. There is a registration of the observer.
    public func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        removeInvalidationObserver(observer, keyPath, .some(context), "set")
    }
}

extension Map {
    /// Registers an observer of the map's `isInvalidated`, which is the only key of the map itself. The observer is held weakly.
    ///
    /// - Precondition: The key is `isInvalidated`: entries are observed through the property that holds the map.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        addInvalidationObserver(observer, keyPath, options, context, "map")
    }

    /// Registers an observer like ``addObserver(_:forKeyPath:options:context:)``, without a context.
    ///
    /// - Complexity: O(1).
    /// - Precondition: The key is `isInvalidated`.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = []
    ) {
        addInvalidationObserver(observer, keyPath, options, nil, "map")
    }

    /// Removes the last registration of an observer of `isInvalidated`, with any context.
    ///
    /// - Precondition: A managed map is in a write transaction. There is a registration of the observer.
    public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        removeInvalidationObserver(observer, keyPath, nil, "map")
    }

    /// Removes the last registration of an observer of `isInvalidated` with a context.
    ///
    /// - Precondition: A managed map is in a write transaction. There is a registration of the observer.
    public func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        removeInvalidationObserver(observer, keyPath, .some(context), "map")
    }
}
