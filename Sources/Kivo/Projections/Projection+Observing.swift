import Dispatch
import KivoEngine

/// The requirements for observing a projection. Only ``Projection`` conforms.
public protocol ProjectionObservable: AnyObject, ThreadConfined, RealmCollectionValue {
    /// The class of the root object.
    associatedtype Root: ObjectBase
    /// The object that the projection shows.
    var rootObject: Root { get }
    /// Creates a projection of an object.
    init(projecting object: Root)
}

extension ProjectionObservable {
    /// Observes the projection. The block runs after a value that it shows was changed through any object or projection, and
    /// after the root was deleted.
    ///
    /// There is no first call. Changes carry the names of the projected properties and their values, in order of declaration. If
    /// several projected properties show one property of the root, each of them is reported. Changes of properties that no
    /// projected property shows are not reported.
    ///
    /// ``PropertyChange/oldValue`` is set if the realm advanced to a newer version. A collection has no values.
    ///
    /// From realm-swift's page "React to Changes", "React to Changes to a Class Projection".
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows: `"lastName"` for
    ///     `@Projected(\Person.lastName.localizedUppercase) var lastNameCaps`. Nil or empty for all. One that no property shows
    ///     traps.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Precondition: The root is managed, not frozen and not invalidated, and no write transaction is open that has made
    ///   changes.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the projection on a queue: the block runs there, with a projection of the queue's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``. The observation begins when the queue runs the
    /// registration.
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows. Nil or empty for all.
    ///   - queue: a serial queue to deliver on; nil for the caller's context.
    ///   - block: the closure to call. It runs on the queue, whatever isolation it was written in.
    /// - Returns: a token that keeps the observation alive.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the projection in the caller's context. This overload is chosen when `nil` is written for the queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the projection, on a queue if there is one. Not for use by applications.
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, calling block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let instance = rootObject.kivoCheckObservable()
        let watched = ProjectionInfo.of(type(of: self)).watched(keyPaths)
        if let queue {
            let (type, key, make) = (rootObject.kivoContext.info.type, rootObject.kivoRow.key, type(of: self))
            return instance.register(on: queue) { instance in
                let context = instance.classes.context(of: type)
                guard instance.table(context.table).contains(key) else {
                    block(.deleted)
                    return nil
                }
                let root = unsafeDowncast(context.accessor(key), to: Root.self)
                return make.init(projecting: root)._observe(keyPaths, on: nil, calling: block)
            }
        }
        let listener = ProjectionListener(rootObject, watched) { _, event in
            switch event {
            case .deleted: block(.deleted)
            case .change(let properties): block(.change(self, properties))
            }
        }
        return instance.listeners.add(listener)
    }

    /// Observes the root's properties that key paths of the projection show; see ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Precondition: Each key path shows a persisted property of the root.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.flatMap { Self._rootKeyPaths($0) }, on: nil, calling: block)
    }

    /// Observes the root's properties that key paths of the projection show, on a queue; see
    /// ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Precondition: Each key path shows a persisted property of the root.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.flatMap { Self._rootKeyPaths($0) }, on: queue, calling: block)
    }

    /// Observes key paths in the caller's context. This overload is chosen when `nil` is written for the queue.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: Never?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.flatMap { Self._rootKeyPaths($0) }, on: nil, calling: block)
    }

    /// Returns the key paths of the root that a key path of the projection shows. Traps if there are none.
    public static func _rootKeyPaths(_ keyPath: PartialKeyPath<Self>) -> [String] {
        let recorder = KeyPathRecorder.record(root: Root.self) { root in
            root.kivoRecorder?.end(
                at: Self(projecting: unsafeDowncast(root, to: Root.self))[keyPath: keyPath])
        }
        let names = recorder.paths.map { $0.joined(separator: ".") }
        if names.isEmpty {
            trap(
                """
                A key path of projection '\(Self.self)' to a value of type '\(type(of: keyPath).valueType)' shows no \
                persisted property of class '\(Root.className())', so it cannot be observed.
                """
            )
        }
        return names
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Observes the roots' properties that key paths of the projections show; see
    /// ``RealmCollection/observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Precondition: Each key path shows a persisted property.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.flatMap { Element._rootKeyPaths($0) }, on: nil, calling: block)
    }

    /// Observes the roots' properties that key paths of the projections show, on a queue; see
    /// ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Complexity: That of the overload without a queue.
    /// - Precondition: Each key path shows a persisted property.
    @_disfavoredOverload
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.flatMap { Element._rootKeyPaths($0) }, on: queue, calling: block)
    }

    /// Observes key paths in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: Never?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.flatMap { Element._rootKeyPaths($0) }, on: nil, calling: block)
    }
}

/// A change of one property of an observed projection. Observers receive the same values as a ``PropertyChange``.
public struct ProjectedPropertyChange {
    /// The name of the projected property.
    public let name: String
    /// The old value, if the realm advanced to a newer version.
    public let oldValue: Any?
    /// The new value.
    public let newValue: Any?
}

extension ProjectionObservable {
    /// Observes the projection on an actor: the block runs there, with a projection of the actor's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this returns. The token
    /// keeps the observation and the actor alive: an actor that stores a token of itself lives until the token is invalidated.
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows; nil or empty for all. Traps on a key path that
    ///   no property shows.
    ///   - actor: the actor to deliver on; it can be a global one, for example `MainActor.shared`.
    ///   - _isolation: the isolation of the caller; do not pass it.
    ///   - block: the closure to call. Its first argument is the actor, isolated, so that it can use the actor's state.
    /// - Returns: a token that keeps the observation alive. It is invalid, and nothing is observed, if the task was cancelled or
    ///   the root was deleted meanwhile. In the latter case the block has received ``ObjectChange/deleted``.
    ///
    /// Traps if the root is unmanaged, frozen or invalidated, or inside of a write transaction that has made changes.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let instance = rootObject.kivoCheckObservable()
        _ = ProjectionInfo.of(type(of: self)).watched(keyPaths)
        let handover = _handover
        return await instance.register(on: actor, _isolation) { instance, actor in
            guard let projection = handover(Realm(instance)) else {
                actor.call(block, ObjectChange<Self>.deleted)
                return nil
            }
            return projection.observe(keyPaths: keyPaths) { (change: ObjectChange<Self>) in
                actor.call(block, change)
            }
        }
    }

    /// Observes the root's properties that key paths of the projection show, on an actor; see
    /// ``observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps on a key path that shows no persisted property.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.flatMap { Self._rootKeyPaths($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Observes the roots' properties that key paths of the projections show, on an actor; see
    /// ``RealmCollection/observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps on a key path that shows no persisted
    /// property.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) }, on: actor, _isolation: _isolation, block
        )
    }
}
