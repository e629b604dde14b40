import Foundation

// Where Foundation has key-value coding itself, its own is used.
#if !canImport(ObjectiveC)
/// Values of the elements by name.
extension NSArray {
    /// The values of a key of each element, with the null marker for nil.
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// The values of a key path of each element, or what a collection operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets the value of a key of each element.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }

    /// Registers an observer with the objects at some positions; see ``ObjectBase/addObserver(_:forKeyPath:options:context:)``.
    /// Traps if a position is out of range, or what is there cannot be observed.
    public func addObserver(
        _ observer: any KeyValueObserver, toObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer? = nil
    ) {
        for object in observed(at: indexes) {
            object.addObserver(observer, forKeyPath: keyPath, options: options, context: context)
        }
    }

    /// Removes an observer from the objects at some positions, whatever its context. Traps where it is not registered.
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

    private func observed(at indexes: IndexSet) -> [ObjectBase] {
        indexes.map { index in
            guard index < count else {
                trap("Index \(index) is outside of the range of an array of \(count) objects.")
            }
            guard let object = self[index] as? ObjectBase else {
                trap("'\(self[index])' of type '\(type(of: self[index]))' cannot be observed.")
            }
            return object
        }
    }
}

/// Values of the members by name.
extension NSSet {
    /// The distinct values of a key of each member, without nil.
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// The values of a key path of each member, or what a collection operator makes of them.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets the value of a key of each member.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }
}

/// Entries by name. Foundation itself has `value(forKey:)`.
extension NSDictionary {
    /// The value at the end of a key path.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets an entry; nil removes it. Traps if the dictionary is immutable.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }

    /// A live array for the elements of an entry, which is made if it is missing; changing it traps if the dictionary is
    /// immutable.
    public func mutableArrayValue(forKey key: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, key))
    }

    /// A live array for the elements of what a key path leads to; changing it traps if that cannot be set.
    public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, path: keyPath))
    }
}

/// Nothing has no values.
extension NSNull {
    /// Nil.
    public func value(forKey key: String) -> Any? { nil }
    /// Nil.
    public func value(forKeyPath keyPath: String) -> Any? { nil }
    /// Traps: nothing can be set.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }
}
#endif
