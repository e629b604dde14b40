import Foundation

/// Values of the elements by name.
extension RealmCollectionBase {
    /// The values of a key of each element: an array with the null marker for nil, of a ``MutableSet`` a set without it;
    /// for `"self"` the elements, for `"isInvalidated"` that of the collection. O(n).
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// The values of a key of each element, with the null marker for nil: where an array is asked for. O(n). Traps for keys of
    /// the collection itself.
    @_disfavoredOverload
    public func value(forKey key: String) -> [AnyObject] {
        // All of them, of sets too, whose values of a key come without nil otherwise.
        if key == "self" { return elements(of: Array(self), key) }
        return elements(of: KeyValueCoding.value(of: self, forKey: key), key)
    }

    /// The values of a key path of each element, or what a collection operator makes of them, as in `"@avg.age"`. O(n).
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// The values of a key path of each element, with the null marker for nil: where an array is asked for. O(n). Traps for
    /// key paths that lead to a single value.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        elements(of: KeyValueCoding.value(of: self, forKeyPath: keyPath), keyPath)
    }

    private func elements(of value: Any?, _ key: String) -> [AnyObject] {
        guard let values = KeyValueCoding.elements(of: value) else {
            trap("The key '\(key)' is one of the collection, not of its elements.")
        }
        return values.map { bridgedForm($0) as AnyObject }
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

    /// The value of a key of the map, where an object is asked for: the null marker for nil as a value; a number or a string as
    /// that of Foundation, and what has none there in a box that casts back.
    @_disfavoredOverload
    public func value(forKey key: String) -> AnyObject? {
        guard let value = codedValue(forKey: key) else { return object(forKey: key as AnyObject) }
        return bridgedForm(value) as AnyObject
    }

    /// The value of a key as an object, as dictionaries of Foundation have it: the null marker for nil as a value, and nil for a
    /// key that there is not, or that is no string.
    public func object(forKey key: AnyObject) -> AnyObject? {
        guard let key = key as? String, let value = self[Key(_mapKey: key)] else { return nil }
        return bridgedForm(value) as AnyObject
    }

    /// The value at the end of a key path that begins with a key of the map, or what a collection operator makes of the
    /// values, as in `"@avg.age"`.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// The value at the end of such a key path, where an object is asked for.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> AnyObject? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath).map { bridgedForm($0) as AnyObject }
    }

    /// Sets the value of a key of the map; nil removes it. The null marker is nil as a value, if values can be nil.
    public func setValue(_ value: Any?, forKey key: String) { setCodedValue(value, forKey: key) }
}
