import Dispatch
import Foundation
import KivoEngine

extension ObjectBase {
    /// Observes the object: the block runs after properties of it were assigned, and after it was deleted.
    ///
    /// There is no first call. Assigning an equal value counts as a change. Without key paths, changes in linked objects do not
    /// count, but insertions and removals in the object's own collections do. With key paths, only changes that they name count:
    /// `"list.name"` is the name of any element and the membership of the list. One call reports all changes since the last call.
    ///
    /// The block is called on the current thread's run loop, queue or actor.
    ///
    /// From realm-swift's page "React to Changes", "Register an Object Change Listener" and "Register a Key Path
    /// Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths to watch, by name; nil or empty for all properties. An unknown one traps.
    ///   - block: the closure to call. `T` is the object's class or one of its superclasses.
    /// - Returns: a token that keeps the observation alive.
    /// - Precondition: The object is managed, not frozen and not invalidated, and no write transaction is open that has made
    ///   changes.
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the object on a queue: the block runs there, with an object of the queue's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``. The observation begins when the queue runs the
    /// registration. If the object was deleted before that, the block receives ``ObjectChange/deleted`` then.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths to watch, by name; nil or empty for all properties. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for the caller's context.
    ///   - block: the closure to call. It runs on the queue, whatever isolation it was written in.
    /// - Returns: a token that keeps the observation alive.
    @_disfavoredOverload
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: queue, calling: block)
    }

    /// Observes the object in the caller's context. This overload is chosen when `nil` is written for the queue.
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: Never?, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, on: nil, calling: block)
    }

    /// Observes the object, on a queue if there is one. Not for use by applications.
    public final func _observe<T: ObjectBase>(
        _ keyPaths: [String]?, on queue: DispatchQueue?, calling block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        let instance = kivoCheckObservable()
        _ = KeyPathFilter.make(keyPaths, kivoContext)
        if let queue {
            return observe(on: queue, instance, block) { $0.observe(keyPaths: keyPaths, block) }
        }
        let listener = ObjectListener(self, keyPaths) { object, event in
            switch event {
            case .deleted: block(.deleted)
            case .change(let properties):
                guard let object = object as? T else {
                    trap(
                        "An object of class '\(type(of: object).className())' is no '\(T.self)', as its observer says."
                    )
                }
                block(.change(object, properties))
            }
        }
        return instance.listeners.add(listener)
    }

    /// Returns the realm instance of the object. Traps if the object cannot be observed.
    final func kivoCheckObservable() -> RealmInstance {
        guard isManaged, let instance = kivoInstance else {
            trap(
                "Only managed objects can be observed: add the object of class '\(Self.className())' to a realm first."
            )
        }
        instance.checkObservable("An object of class '\(kivoContext.info.name)'")
        locateOrTrap()
        return instance
    }

    /// Registers an observer of the object's counterpart on a queue. If the object no longer exists there, the block receives
    /// ``ObjectChange/deleted``.
    ///
    /// - Parameter observe: begins the observation; runs on the queue.
    final func observe<T: ObjectBase>(
        on queue: DispatchQueue, _ instance: RealmInstance, _ block: @escaping (ObjectChange<T>) -> Void,
        _ observe: @escaping (ObjectBase) -> NotificationToken
    ) -> NotificationToken {
        let (info, key) = (kivoContext.info, kivoRow.key)
        return instance.register(on: queue) { instance in
            let context = instance.classes.context(of: info)
            guard instance.table(context.table).contains(key) else {
                block(.deleted)
                return nil
            }
            return observe(context.accessor(key))
        }
    }

    /// Observes key paths of the object; see ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Precondition: Each key path leads to a persisted property.
    public final func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }

    /// Observes key paths of the object on a queue; see ``observe(keyPaths:_:)-([String]?,_)``.
    ///
    /// - Precondition: Each key path leads to a persisted property.
    @_disfavoredOverload
    public final func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue?,
        _ block: @escaping @Sendable (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: queue, calling: block)
    }

    /// Observes key paths in the caller's context. This overload is chosen when `nil` is written for the queue.
    public final func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: Never?,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths.map { KeyPathName.of($0) }, on: nil, calling: block)
    }
}

/// A change of one property of an observed object.
public struct PropertyChange {
    /// The name of the property; with key paths, the name of the first property on the path.
    public let name: String
    /// The old value, if the realm advanced to a newer version; nil for changes by this realm instance and for collections.
    public let oldValue: Any?
    /// The new value; nil for collections.
    public let newValue: Any?
}

/// A change that observers of an object receive.
public enum ObjectChange<T> {
    /// Never produced; it exists for exhaustive switches that name it.
    case error(NSError)
    /// Properties of the object changed. They are in the order of their declaration, each once.
    case change(T, [PropertyChange])
    /// The object was deleted. This is the last call.
    case deleted
}
