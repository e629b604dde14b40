import Foundation

// Foundation has its own key-value coding where there is an Objective-C runtime.
#if !canImport(ObjectiveC)
/// Values of the elements, by name.
extension NSArray {
    /// Returns the values of a key of each element, with the null marker for nil.
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// Returns the values of a key path of each element, or the result of a collection operator on them.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets the value of a key of each element.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }

    /// Registers an observer with the objects at some positions; see
    /// ``KeyValueObservable/addObserver(_:forKeyPath:options:context:)``.
    ///
    /// - Precondition: The positions are in the array, and the elements there can be observed.
    public func addObserver(
        _ observer: any KeyValueObserver, toObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer? = nil
    ) {
        for object in observed(at: indexes) {
            object.addObserver(observer, forKeyPath: keyPath, options: options, context: context)
        }
    }

    /// Removes an observer from the objects at some positions, with any context. Traps where it is not registered.
    public func removeObserver(
        _ observer: any KeyValueObserver, fromObjectsAt indexes: IndexSet, forKeyPath keyPath: String
    ) {
        for object in observed(at: indexes) { object.removeObserver(observer, forKeyPath: keyPath) }
    }

    /// Removes an observer with a context from the objects at some positions. Traps where it is not registered.
    public func removeObserver(
        _ observer: any KeyValueObserver, fromObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
        context: UnsafeMutableRawPointer?
    ) {
        for object in observed(at: indexes) {
            object.removeObserver(observer, forKeyPath: keyPath, context: context)
        }
    }

    private func observed(at indexes: IndexSet) -> [any KeyValueObservable] {
        indexes.map { index in
            guard index < count else {
                trap("Index \(index) is outside of the range of an array of \(count) objects.")
            }
            guard let object = self[index] as? any KeyValueObservable else {
                trap("'\(self[index])' of type '\(type(of: self[index]))' cannot be observed.")
            }
            return object
        }
    }
}

/// Values of the members, by name.
extension NSSet {
    /// Returns the distinct values of a key of each member, without nil.
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// Returns the values of a key path of each member, or the result of a collection operator on them.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets the value of a key of each member.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }
}

/// Entries, by name. Foundation itself has `value(forKey:)`.
extension NSDictionary {
    /// Returns the value at the end of a key path.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets an entry; nil removes it.
    ///
    /// - Precondition: The dictionary is mutable.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }

    /// Returns a live array for the elements of an entry, which is created if it is missing. Changes trap if the dictionary is
    /// immutable.
    public func mutableArrayValue(forKey key: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, key))
    }

    /// Returns a live array for the elements at the end of a key path. Changes trap if that value cannot be set.
    public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, path: keyPath))
    }
}

/// Values of the null marker, which are all nil.
extension NSNull {
    /// Returns nil.
    public func value(forKey key: String) -> Any? { nil }
    /// Returns nil.
    public func value(forKeyPath keyPath: String) -> Any? { nil }
    /// Traps, since the null marker has no keys.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }
}
#endif
