/// Values of the elements by name.
extension RealmCollectionBase {
    /// The values of a key of each element: an array with the null marker for nil, of a ``MutableSet`` a set without it;
    /// for `"self"` the elements, for `"isInvalidated"` that of the collection. O(n).
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// The values of a key of each element, with the null marker for nil: where an array is asked for. O(n). Traps for keys of
    /// the collection itself.
    @_disfavoredOverload
    public func value(forKey key: String) -> [Any] {
        let value: Any? = value(forKey: key)
        guard let values = KeyValueCoding.elements(of: value) else {
            trap("The key '\(key)' is one of the collection, not of its elements.")
        }
        return values
    }

    /// The values of a key path of each element, or what a collection operator makes of them, as in `"@avg.age"`. O(n).
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets the value of a key of each element. Their observers are told. O(n).
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }
}

/// Values by name.
extension Map {
    /// The value of a key of the map; for `"isInvalidated"` that of the map.
    public func value(forKey key: String) -> Any? { codedValue(forKey: key) }

    /// The value at the end of a key path that begins with a key of the map, or what a collection operator makes of the
    /// values, as in `"@avg.age"`.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Sets the value of a key of the map; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) { setCodedValue(value, forKey: key) }
}
