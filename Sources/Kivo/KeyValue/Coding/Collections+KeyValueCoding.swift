import Foundation
import KivoObserving

/// Values of the elements, by name.
extension RealmCollectionBase {
    /// Returns the values of a key of each element: an array with the null marker for nil, or for a ``MutableSet`` a set without
    /// nil. Returns the elements for `"self"`, and the collection's own value for `"isInvalidated"`.
    ///
    /// - Complexity: O(n), and for each element the cost of reading its value.
    public func value(forKey key: String) -> Any? { KeyValueCoding.value(of: self, forKey: key) }

    /// Returns the values of a key of each element as an array, with the null marker for nil.
    ///
    /// - Complexity: O(n), and for each element the cost of reading its value.
    /// - Precondition: The key is not one of the collection itself.
    @_disfavoredOverload
    public func value(forKey key: String) -> [AnyObject] {
        // Sets keep nil here, unlike in their values of other keys.
        if key == "self" { return elements(of: Array(self), key) }
        return elements(of: KeyValueCoding.value(of: self, forKey: key), key)
    }

    /// Returns the values of a key path of each element, or the result of a collection operator on them, as in `"@avg.age"`.
    ///
    /// - Complexity: O(n), and for each element the cost of reading its value.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Returns the values of a key path of each element as an array, with the null marker for nil.
    ///
    /// - Complexity: O(n), and for each element the cost of reading its value.
    /// - Precondition: The key path does not lead to a single value.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        elements(of: KeyValueCoding.value(of: self, forKeyPath: keyPath), keyPath)
    }

    private func elements(of value: Any?, _ key: String) -> [AnyObject] {
        guard let values = CollectionContents.elements(of: value) else {
            trap("The key '\(key)' is one of the collection, not of its elements.")
        }
        return values.map { bridgedForm($0) as AnyObject }
    }

    /// Sets the value of a key of each element, and notifies the elements' observers.
    ///
    /// - Complexity: O(n), and for each element the cost of reading its value.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueCoding.setValue(value, of: self, forKey: key)
    }
}

/// Values by name.
extension Map {
    /// Returns the value of a key of the map; for `"isInvalidated"`, returns the map's own.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one, and the rest of a key path at the value that
    ///   it leads to.
    public func value(forKey key: String) -> Any? { codedValue(forKey: key) }

    /// Returns the value of a key of the map as an object. A nil value becomes the null marker. Numbers and strings become
    /// Foundation's objects; a value without an object in Foundation is boxed, and casts back.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one, and the rest of a key path at the value that
    ///   it leads to.
    @_disfavoredOverload
    public func value(forKey key: String) -> AnyObject? {
        guard let value = codedValue(forKey: key) else { return object(forKey: key as AnyObject) }
        return bridgedForm(value) as AnyObject
    }

    /// Returns the value of a key as an object, as Foundation's dictionaries do. A nil value becomes the null marker. Returns nil
    /// if there is no such key, or if the key is not a string.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one, and the rest of a key path at the value that
    ///   it leads to.
    public func object(forKey key: AnyObject) -> AnyObject? {
        guard let key = key as? String, let value = self[Key(_mapKey: key)] else { return nil }
        return bridgedForm(value) as AnyObject
    }

    /// Returns the value at the end of a key path. The path begins with a key of the map, or with a collection operator on the
    /// values, as in `"@avg.age"`.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one, and the rest of a key path at the value that
    ///   it leads to.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath)
    }

    /// Returns the value at the end of a key path as an object. The path begins with a key of the map, or with a collection
    /// operator.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one, and the rest of a key path at the value that
    ///   it leads to.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> AnyObject? {
        KeyValueCoding.value(of: self, forKeyPath: keyPath).map { bridgedForm($0) as AnyObject }
    }

    /// Sets the value of a key of the map; nil removes the key. The null marker is stored as nil, if values can be nil.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one, and the rest of a key path at the value that
    ///   it leads to.
    public func setValue(_ value: Any?, forKey key: String) { setCodedValue(value, forKey: key) }
}

extension KeyValueCodedCollection {
    package var forms: any KeyValueForms { ModelForms() }
    package var hasOwnSelf: Bool { true }
}

extension KeyValueCodedCollection where Self: RealmCollectionBase {
    package var codedElements: [Any] { map { $0 as Any } }

    package func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        let values: [Any] = map { KeyValueCoding.value(of: $0, forKey: key) ?? NSNull() }
        return values
    }

    package func setCodedValue(_ value: Any?, forKey key: String) {
        for element in self { KeyValueCoding.setValue(value, of: element, forKey: key) }
    }
}

extension List: KeyValueCodedCollection {}
extension MutableSet: KeyValueCodedCollection {
    package func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return Set(compactMap { hashable(KeyValueCoding.value(of: $0, forKey: key)) })
    }
}
extension LinkingObjects: KeyValueCodedCollection {}

extension Map: KeyValueCodedCollection {
    package var hasOwnSelf: Bool { false }
    package var codedElements: [Any] { values.map { $0 as Any } }

    package func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return flatten(self[Key(_mapKey: key)])
    }

    package func setCodedValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(for: Key(_mapKey: key)) }
        guard let value = nonNull(value) else {
            // A nil value of an optional type, or the null marker.
            if let null = Value.element(from: nil) {
                return updateValue(null, forKey: Key(_mapKey: key))
            }
            return removeObject(for: Key(_mapKey: key))
        }
        guard let element = Value.element(from: value) else {
            trap("\(RefusedValue(value)) is no value of a map of '\(Value.self)'.")
        }
        updateValue(element, forKey: Key(_mapKey: key))
    }
}
