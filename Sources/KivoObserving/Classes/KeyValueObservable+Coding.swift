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
        KeyValueCoding.setComputed(keyPath, value, key, of: self, known)
    }

    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(ofObject: self, forKeyPath: keyPath)
    }

    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyValueCoding.setValue(value, ofObject: self, forKeyPath: keyPath)
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
