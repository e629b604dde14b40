import Dispatch

/// The forms of observing that code for any collection can use; those of a type of collection have defaults of their own.
extension RealmCollection {
    /// Observes the collection on the current thread; see ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(_ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: nil, on: nil, block)
    }

    /// Observes key paths of the elements, by name, on the current thread; see
    /// ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [String]?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: nil, block)
    }

    /// Observes the collection on a queue; see ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: nil, on: queue, block)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Observes key paths of the elements; see ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``. Traps if one passes
    /// through something that is not persisted.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}

extension RealmKeyedCollection {
    /// Observes the map on the current thread; see ``Map/observe(keyPaths:on:_:)``.
    public func observe(_ block: @escaping (RealmMapChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: nil, on: nil, block)
    }

    /// Observes key paths of the objects, by name, on the current thread; see ``Map/observe(keyPaths:on:_:)``.
    public func observe(
        keyPaths: [String]?, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: nil, block)
    }

    /// Observes the map on a queue; see ``Map/observe(keyPaths:on:_:)``.
    public func observe(
        on queue: DispatchQueue?, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: nil, on: queue, block)
    }
}
