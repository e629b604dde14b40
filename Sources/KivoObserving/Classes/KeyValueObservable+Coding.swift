import Foundation

extension KeyValueObservable {
    public func value(forKey key: String) -> Any? {
        if key == "self" { return self }
        guard let known = _observing.base as? ReflectedClass else { return value(forUndefinedKey: key) }
        if let field = known.field(key) { return flatten(field.value(in: self)) }
        if let keyPath = known.computedProperty(key) { return flatten(self[keyPath: keyPath]) }
        return value(forUndefinedKey: key)
    }

    public func setValue(_ value: Any?, forKey key: String) {
        let value = nonNull(value)
        guard let known = _observing.base as? ReflectedClass else {
            return setValue(value, forUndefinedKey: key)
        }
        if let field = known.field(key) {
            guard field.storage != nil else {
                trap(
                    """
                    Key '\(key)' of class '\(known.name)' cannot be set by name: declare the property '@Observed'.
                    """)
            }
            if known.setValue(value, field, of: self) { return }
            if value == nil { return setNilValueForKey(key) }
            trap("'\(value!)' is no value of property '\(known.name).\(key)'.")
        }
        guard let keyPath = known.computedProperty(key) else { return setValue(value, forUndefinedKey: key) }
        switch assign(keyPath, value, to: self, known) {
        case true?: break
        case false? where value == nil: setNilValueForKey(key)
        case false?: trap("'\(value!)' is no value of property '\(known.name).\(key)'.")
        case nil: trap("Key '\(key)' of class '\(known.name)' is read-only: the property has no setter.")
        }
    }

    public func value(forKeyPath keyPath: String) -> Any? {
        guard !keyPath.hasPrefix("@"), let dot = keyPath.firstIndex(of: ".") else {
            return value(forKey: keyPath)
        }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        let value = value(forKey: String(keyPath[..<dot]))
        if let object = value as? any KeyValueObservable { return object.value(forKeyPath: rest) }
        return KeyValueCoding.value(of: value, forKeyPath: rest)
    }

    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let target = self.value(forKeyPath: String(keyPath[..<dot]))
        KeyValueCoding.setValue(value, of: target, forKey: String(keyPath[keyPath.index(after: dot)...]))
    }

    public func value(forUndefinedKey key: String) -> Any? {
        trap(
            """
            Class '\(_observing.base.name)' has no key '\(key)': it is undefined. Name computed properties in \
            'computedProperties()', or implement 'value(forUndefinedKey:)'.
            """)
    }

    public func setValue(_ value: Any?, forUndefinedKey key: String) {
        trap(
            """
            Class '\(_observing.base.name)' has no key '\(key)' that can be set: it is undefined. Name computed properties \
            in 'computedProperties()', or implement 'setValue(_:forUndefinedKey:)'.
            """)
    }

    public func setNilValueForKey(_ key: String) {
        trap(
            """
            Nil is an invalid argument for key '\(key)' of class '\(_observing.base.name)', which is not optional: \
            implement 'setNilValueForKey(_:)' to give it a meaning.
            """)
    }

    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
            setValue(value is NSNull ? nil : value, forKey: key)
        }
    }

    public func mutableArrayValue(forKey key: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, key))
    }

    public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(self, path: keyPath))
    }

    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        KeyValueMutableSet(KeyValueSlot(self, key))
    }

    public func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        KeyValueMutableSet(KeyValueSlot(self, path: keyPath))
    }
}

/// Assigns a value through a key path; returns false if the value's type does not fit, or nil if the key path is read-only.
package func assign(
    _ keyPath: AnyKeyPath, _ value: Any?, to object: AnyObject, _ subjectClass: any SubjectClass
) -> Bool? {
    func assign<Root, Value>(_ root: Root.Type, _ type: Value.Type) -> Bool? {
        guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value>, let root = object as? Root
        else { return nil }
        guard let value = subjectClass.converted(value, to: Value.self) else { return false }
        root[keyPath: writable] = value
        return true
    }
    func open<Root>(_ root: Root.Type) -> Bool? {
        func open<Value>(_ type: Value.Type) -> Bool? { assign(root, type) }
        return _openExistential(type(of: keyPath).valueType, do: open)
    }
    return _openExistential(type(of: keyPath).rootType, do: open)
}
