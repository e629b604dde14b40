import Foundation

extension KeyValueObservable {
    public func value(forKey key: String) -> Any? { ReflectedClass.value(of: self, forKey: key) }

    public func setValue(_ value: Any?, forKey key: String) {
        ReflectedClass.setValue(value, of: self, forKey: key)
    }

    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(ofObject: self, forKeyPath: keyPath)
    }

    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyValueCoding.setValue(value, ofObject: self, forKeyPath: keyPath)
    }

    public func value(forUndefinedKey key: String) -> Any? { ReflectedClass.trapUndefined(key, of: self) }

    public func setValue(_ value: Any?, forUndefinedKey key: String) {
        ReflectedClass.trapUndefined(assigned: key, of: self)
    }

    public func setNilValueForKey(_ key: String) { ReflectedClass.trapNil(key, of: self) }

    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for key in Array(keyedValues.keys).sorted() {
            let value = keyedValues[key]
            setValue(value is NSNull ? nil : value, forKey: key)
        }
    }

    public func mutableArrayValue(forKey key: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(checked, key))
    }

    public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        KeyValueMutableArray(KeyValueSlot(checked, path: keyPath))
    }

    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        KeyValueMutableSet(KeyValueSlot(checked, key))
    }

    public func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        KeyValueMutableSet(KeyValueSlot(checked, path: keyPath))
    }

    /// The object, after the check of its actor.
    private var checked: Self {
        (_observing.base as? ReflectedClass)?.checkActor()
        return self
    }
}
