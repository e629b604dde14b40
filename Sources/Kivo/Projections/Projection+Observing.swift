import Dispatch
import KivoEngine

/// What can be observed as a projection: ``Projection``, and nothing else.
public protocol ProjectionObservable: AnyObject, ThreadConfined, RealmCollectionValue {
    /// The class of the root object.
    associatedtype Root: ObjectBase
    /// The object that the projection shows.
    var rootObject: Root { get }
    /// A projection of an object.
    init(projecting object: Root)
}

extension ProjectionObservable {
    /// Observes the projection: the block is called when what it shows of the root was changed, through whichever object or
    /// projection, and when the root was deleted.
    ///
    /// There is no first call. Changes carry the names of the projected properties, and their values, in order of
    /// declaration; a property of the root that several of them show is named by each. Properties of the root that none
    /// shows are not told of.
    ///
    /// ``PropertyChange/oldValue`` is there if the change came by moving to a newer version. A collection has no values.
    ///
    /// From the reference page "React to Changes", "React to Changes to a Class Projection".
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows: `"lastName"` for
    ///     `@Projected(\Person.lastName.localizedUppercase) var lastNameCaps`. Nil or empty for all. One that no property shows
    ///     traps.
    ///   - queue: a serial queue to deliver on; nil for the current thread's run loop or queue. On another queue the
    ///     observation begins when the queue gets to it, and the block is given a projection of that queue's realm.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps if the root is unmanaged, frozen or invalidated, or inside of a write transaction that has made changes.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let instance = rootObject.kivoCheckObservable()
        let watched = ProjectionInfo.of(type(of: self)).watched(keyPaths)
        if let queue {
            let (type, key, make) = (rootObject.kivoContext.info.type, rootObject.kivoRow.key, type(of: self))
            return instance.register(on: queue) { instance in
                let context = instance.context(type)
                guard instance.table(context.table).contains(key) else { return nil }
                let root = unsafeDowncast(context.accessor(key), to: Root.self)
                return make.init(projecting: root).observe(keyPaths: keyPaths, block)
            }
        }
        let listener = ProjectionListener(rootObject, watched) { _, event in
            switch event {
            case .deleted: block(.deleted)
            case .change(let properties): block(.change(self, properties))
            }
        }
        return instance.listeners.add(listener, instance)
    }

    /// Observes the root's properties that key paths of the projection show; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    ///
    /// Traps on a key path that shows no persisted property of the root.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.flatMap { Self._rootKeyPaths($0) }, on: queue, block)
    }

    /// The key paths of the root that a key path of the projection shows. Traps if there are none.
    public static func _rootKeyPaths(_ keyPath: PartialKeyPath<Self>) -> [String] {
        let recorder = KeyPathRecorder.record(root: Root.self) { root in
            root.kivoRecorder?.end(
                at: Self(projecting: unsafeDowncast(root, to: Root.self))[keyPath: keyPath])
        }
        let names = recorder.paths.map { $0.joined(separator: ".") }
        if names.isEmpty {
            trap(
                "Key path '\(keyPath)' shows no persisted property of class '\(Root.className())', so it cannot be observed."
            )
        }
        return names
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Observes the roots' properties that key paths of the projections show; see
    /// ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``. Traps on a key path that shows no persisted property.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) }, on: queue, block)
    }
}

/// What happened to one property of an observed projection. Observers are told the same as ``PropertyChange``.
public struct ProjectedPropertyChange {
    /// The name of the projected property.
    public let name: String
    /// The value before, if the change came by moving to a newer version.
    public let oldValue: Any?
    /// The value now.
    public let newValue: Any?
}
