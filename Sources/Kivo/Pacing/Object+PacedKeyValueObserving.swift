import KivoObserving

extension KeyValueObservable where Self: ObjectBase {
    /// Observes the value at a key path at a pace, with the value that the handler saw last and the value now.
    ///
    ///     token = account.observe(\.balance, options: [.old, .new], pacing: .every(.milliseconds(100))) { _, change in
    ///         label.animate(from: change.oldValue, to: change.newValue)
    ///     }
    ///
    /// Values that were assigned between two calls are left out, and the handler is not called if the value is again what it was. Unlike an
    /// observation without a pace, this one retains the object, reports what other threads and processes commit at the same pace, and calls
    /// nothing inside of a write. The token can pause it, and deliver at once.
    ///
    /// - Parameters:
    ///   - keyPath: the key path, through links to one object.
    ///   - options: ``NSKeyValueObservingOptions/new`` and ``NSKeyValueObservingOptions/old`` for the values, and
    ///     ``NSKeyValueObservingOptions/initial`` for a call before this method returns. There is nothing
    ///     ``NSKeyValueObservingOptions/prior`` to the changes of others.
    ///   - pacing: how often the handler is called.
    ///   - changeHandler: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) for each commit that concerns the key path until something is held, and O(1) for each call.
    /// - Precondition: The object is managed and not frozen, and no write transaction is open that has made changes. The key path passes only
    ///   through persisted properties, and leads to no collection: observe that itself.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [], pacing: Realm.Pacing,
        changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> NotificationToken {
        let name = KeyPathName.of(keyPath)
        if options.contains(.prior) { trap("An observation at a pace has no call before a change.") }
        var last = self[keyPath: keyPath]
        if last is any ThreadConfined, !(last is ObjectBase) {
            trap("The collection '\(name)' cannot be observed as a value at a pace: observe the collection.")
        }
        func call(_ old: Value?, _ new: Value) {
            let change = KeyValueObservedChange(
                kind: .setting, newValue: options.contains(.new) ? new : nil,
                oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: false)
            changeHandler(self, change)
        }
        let token = observe(keyPaths: [name], pacing: pacing) { (change: ObjectChange<Self>) in
            guard case .change = change else { return }
            let (old, new) = (last, self[keyPath: keyPath])
            if areEqual(old, new) { return }
            last = new
            call(old, new)
        }
        if options.contains(.initial) { call(nil, last) }
        return token
    }
}

/// Returns whether two values are known to be equal.
private func areEqual<Value>(_ a: Value, _ b: Value) -> Bool {
    func isEqual<Known: Equatable>(_ a: Known) -> Bool { a == b as? Known }
    return (a as? any Equatable).map { isEqual($0) } ?? false
}
