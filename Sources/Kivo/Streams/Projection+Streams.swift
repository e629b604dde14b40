import KivoEngine

extension ProjectionObservable {
    /// The changes of what the projection shows, for `for await`; at the end ``ObjectChange/deleted``. See ``ChangeStream``.
    ///
    /// Traps if the root is unmanaged, frozen or invalidated.
    public var changes: ChangeStream<ObjectChange<Self>> { changes(keyPaths: []) }

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
}
