import Foundation

/// Refusals of key paths whose changes can never be notified, when they are observed.
extension ReflectedClass {
    /// Returns the path of a property whose changes the class announces itself, as it says in
    /// ``KeyValueObservable/automaticallyNotifiesObservers(forKey:)``; returns nil if it does not say so.
    func announced(_ keyPath: AnyKeyPath) -> WatchedKeyPath? {
        guard KeyPathParts.isSingle(keyPath) else { return nil }
        // Only stored properties without observers print their name.
        let last = WatchedKeyPath("\(keyPath)").components.last
        let name: String? = if case .key(let last)? = last { field(last)?.name } else { nil }
        if type.automaticallyNotifiesObservers(forKey: name ?? "") { return nil }
        return WatchedKeyPath(
            name ?? "\(keyPath)", [name.map { .key($0) } ?? .computed(keyPath)], typed: keyPath)
    }

    @_optimize(none)
    func trapUnobservable(_ keyPath: AnyKeyPath) -> Never {
        trap(
            """
            \(describe(keyPath)) reads no property that is '@Observed': its changes could never be notified. Declare what it \
            reads '@Observed', or name it in 'computedProperties()' if the class announces its changes. Foundation's own \
            classes notify nobody, and a 'weak' reference is not followed: declare it '@ObservedWeak'.
            """)
    }

    private func describe(_ keyPath: AnyKeyPath) -> String {
        let text = "\(keyPath)"
        if !text.contains("<") { return "Key path '\(text)'" }
        return "A key path of class '\(name)' to a computed '\(Swift.type(of: keyPath).valueType)'"
    }

    /// Traps if changes of a key path that is observed by name can never be notified. A key that the class does not declare may
    /// be one that it announces by hand, or that ``KeyValueObservable/value(forUndefinedKey:)`` returns: as in Cocoa, registering
    /// an observer of it does not fail.
    func checkNotified(_ path: WatchedKeyPath, of subject: AnyObject) {
        var (object, objectClass, isNotified): (AnyObject, ReflectedClass, Bool) = (subject, self, false)
        for (index, component) in path.components.enumerated() {
            guard case .key(let key) = component else { break }
            if objectClass.notifies(key) {
                isNotified = true
            } else if !objectClass.isField(key) {
                return
            }
            if index + 1 == path.components.count { break }
            guard let value = flatten(component.read(object, objectClass)) else { return }
            guard let next = Subjects.subject(in: value) else { break }
            guard let nextClass = next.class as? ReflectedClass else { return }
            (object, objectClass) = (next.object, nextClass)
        }
        if !isNotified { trapUnnotified(path) }
    }

    /// Whether changes of a key are notified, by themselves or because the class announces them.
    private func notifies(_ key: String) -> Bool {
        field(key)?.storage != nil || computedProperty(key) != nil
            || !type.automaticallyNotifiesObservers(forKey: key)
            || !type.keyPathsForValuesAffectingValue(forKey: key).isEmpty
    }

    @_optimize(none)
    private func trapUnnotified(_ path: WatchedKeyPath) -> Never {
        trap(
            """
            Key path '\(path.text)' of class '\(name)' leads through no property that is '@Observed': its changes could never be \
            notified. A class that announces changes of a key by hand returns false for it in \
            'automaticallyNotifiesObservers(forKey:)'.
            """)
    }
}
