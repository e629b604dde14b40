import KivoEngine

extension ProjectionObservable {
    /// The changes of what the projection shows, for `for await`; at the end ``ObjectChange/deleted``. See ``ChangeStream``.
    ///
    /// Traps if the root is unmanaged, frozen or invalidated.
    public var changes: ChangeStream<ObjectChange<Self>> { changes(keyPaths: [String]()) }

    /// The changes of what the projection shows of the root's key paths; see ``changes``. None means everything, one that no
    /// property shows traps.
    public func changes(keyPaths: [String]) -> ChangeStream<ObjectChange<Self>> {
        let instance = rootObject.kivoCheckObservable()
        let watched = ProjectionInfo.of(type(of: self)).watched(keyPaths)
        return ChangeStream {
            self.rootObject.locateOrTrap()
            return ListenerSource(instance, isInitial: false) { call in
                ProjectionListener(self.rootObject, watched) { _, event in
                    switch event {
                    case .deleted: call(StreamElement(change: .deleted))
                    case .change(let properties): call(StreamElement(change: .change(self, properties)))
                    }
                }
            }
        }
    }

    /// The changes of the root's properties that key paths of the projection show; see ``changes``. Traps on a key path that
    /// shows no persisted property of the root.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ChangeStream<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.flatMap { Self._rootKeyPaths($0) })
    }
}

extension Results where Element: ProjectionObservable {
    /// The changes of the results, of elements only the roots' properties that key paths of the projections show; see
    /// ``changes``. Traps on a key path that shows no persisted property.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<Results<Element>>> {
        changes(keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) })
    }
}

extension AnyRealmCollection where Element: ProjectionObservable {
    /// The changes of the collection, of elements only the roots' properties that key paths of the projections show; see
    /// ``changes``. Traps on a key path that shows no persisted property.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<AnyRealmCollection<Element>>> {
        changes(keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) })
    }
}
