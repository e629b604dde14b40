import KivoEngine

extension KeyValueObservable where Self: ObjectBase {
    /// The changes of the object, for `for await`, from the beginning of the iteration on. See ``ChangeStream``.
    ///
    /// Each element is ``ObjectChange/change(_:_:)`` with all properties that were assigned since the element before. The last
    /// one is ``ObjectChange/deleted``. Old values are those of the state that the consumer received last, also for changes by
    /// this realm instance.
    ///
    /// - Precondition: The object is managed, not frozen and not invalidated.
    public var changes: ChangeStream<ObjectChange<Self>> { changes(keyPaths: [String]()) }

    /// Returns the changes of the object that key paths name; see ``changes``. An empty array means all properties.
    ///
    /// - Precondition: Each key path leads to a persisted property.
    public func changes(keyPaths: [String]) -> ChangeStream<ObjectChange<Self>> {
        guard isManaged, let instance = kivoInstance else {
            trap(
                "Only managed objects can be observed: add the object of class '\(Self.className())' to a realm first."
            )
        }
        instance.checkStreamable("An object of class '\(kivoContext.info.name)'")
        locateOrTrap()
        _ = KeyPathFilter.make(keyPaths, kivoContext)
        return ChangeStream {
            self.locateOrTrap()
            return ListenerSource(instance, isInitial: false) { call in
                ObjectListener(self, keyPaths) { object, event in
                    switch event {
                    case .deleted: call(StreamElement(change: .deleted))
                    case .change(let properties):
                        let object = unsafeDowncast(object, to: Self.self)
                        call(StreamElement(change: .change(object, properties)))
                    }
                }
            }
        }
    }

    /// Returns the changes of the object that key paths name; see ``changes``.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ChangeStream<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension ProjectionObservable {
    /// The changes of the properties that the projection shows, for `for await`; at the end ``ObjectChange/deleted``. See
    /// ``ChangeStream``.
    ///
    /// - Precondition: The root is managed, not frozen and not invalidated.
    public var changes: ChangeStream<ObjectChange<Self>> { changes(keyPaths: [String]()) }

    /// Returns the changes of the shown properties that the root's key paths name; see ``changes``. An empty array means all.
    ///
    /// - Precondition: A property of the projection shows each key path.
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

    /// Returns the changes of the root's properties that key paths of the projection show; see ``changes``.
    ///
    /// - Precondition: Each key path shows a persisted property of the root.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ChangeStream<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.flatMap { Self._rootKeyPaths($0) })
    }
}

extension Results where Element: ProjectionObservable {
    /// Returns the changes of the results; of elements, only the roots' properties that the projections' key paths show count.
    /// See ``changes``.
    ///
    /// - Precondition: Each key path shows a persisted property.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<Results<Element>>> {
        changes(keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) })
    }
}

extension AnyRealmCollection where Element: ProjectionObservable {
    /// Returns the changes of the collection; of elements, only the roots' properties that the projections' key paths show count.
    /// See ``changes``.
    ///
    /// - Precondition: The collection is managed. Each key path shows a persisted property.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<AnyRealmCollection<Element>>> {
        changes(keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) })
    }
}
