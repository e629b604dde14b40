import KivoEngine

extension _KeyValueObservedObject where Self: ObjectBase {
    /// The changes of the object, for `for await`: what is told is what happens after the iteration began, as
    /// ``ObjectChange/change(_:_:)`` with all properties that were assigned since the element before, and at the end
    /// ``ObjectChange/deleted``. See ``ChangeStream``.
    ///
    /// Old values are what the consumer was told last, whoever made the change. Traps if unmanaged, frozen or invalidated.
    public var changes: ChangeStream<ObjectChange<Self>> { changes(keyPaths: [String]()) }

    /// The changes of the object that key paths name; see ``changes``. None means all properties, an unknown one traps.
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

    /// The changes of the object that key paths name; see ``changes``.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ChangeStream<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}
