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
