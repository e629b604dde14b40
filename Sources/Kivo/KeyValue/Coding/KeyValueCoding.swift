import Foundation

/// Values by name, of every type that has them: objects, collections and their elements, dictionaries, strings.
enum KeyValueCoding {
    // MARK: Reading

    /// Returns the value of a key. Arrays return an array of their elements' values, with the null marker for nil. Sets return a
    /// set of their members' values, without nil. For nil and the null marker, every value is nil.
    static func value(of subject: Any?, forKey key: String) -> Any? {
        guard let subject = flatten(subject), !(subject is NSNull) else { return nil }
        if key == "self", !(subject is any RealmCollectionBase) { return subject }
        switch subject {
        case let object as ObjectBase: return object.value(forKey: key)
        case let collection as any KeyValueCodedCollection: return collection.codedValue(forKey: key)
        case let dictionary as [String: Any]: return flatten(dictionary[key])
        case let string as String:
            if key == "length" { return string.utf16.count }
        case let proxy as KeyValueMutableSet:
            return Set(proxy.allObjects.compactMap { hashable(value(of: $0, forKey: key)) })
        case let array as [Any]: return array.map { value(of: $0, forKey: key) ?? NSNull() }
        case let set as Set<AnyHashable>:
            return Set(set.compactMap { hashable(value(of: $0.base, forKey: key)) })
        case let set as NSSet:
            return Set(set.compactMap { hashable(value(of: $0, forKey: key)) })
        default: break
        }
        trap("'\(subject)' of type '\(type(of: subject))' has no key '\(key)'.")
    }

    /// Returns the value of a key path, which may contain collection operators.
    static func value(of subject: Any?, forKeyPath keyPath: String) -> Any? {
        guard let subject = flatten(subject), !(subject is NSNull) else { return nil }
        if keyPath.hasPrefix("@") { return CollectionOperator.value(of: subject, keyPath) }
        guard let dot = keyPath.firstIndex(of: ".") else { return value(of: subject, forKey: keyPath) }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        let value = value(of: subject, forKey: String(keyPath[..<dot]))
        if let object = value as? ObjectBase { return object.value(forKeyPath: rest) }
        return self.value(of: value, forKeyPath: rest)
    }

    /// Returns the value to which the components of a key path lead.
    static func value(of subject: Any?, _ components: ArraySlice<KeyPathComponent>) -> Any? {
        var value = flatten(subject)
        for component in components {
            switch component {
            case .key(let key): value = self.value(of: value, forKey: key)
            case .computed(let keyPath):
                value = (value as? ObjectBase).flatMap { flatten($0[keyPath: keyPath]) }
            case .operation(let path): value = self.value(of: value, forKeyPath: path)
            }
        }
        return value
    }

    // MARK: Writing

    /// Sets the value of a key: on objects, on each element of arrays, sets and collections, and as an entry in mutable
    /// dictionaries. Does nothing if the subject is nil.
    static func setValue(_ value: Any?, of subject: Any?, forKey key: String) {
        guard let subject = flatten(subject) else { return }
        switch subject {
        case let object as ObjectBase: object.setValue(value, forKey: key)
        case let collection as any KeyValueCodedCollection: collection.setCodedValue(value, forKey: key)
        case let dictionary as NSMutableDictionary:
            if let value = flatten(value) {
                dictionary[key] = value
            } else {
                dictionary.removeObject(forKey: key)
            }
        case let set as NSSet: for element in set { setValue(value, of: element, forKey: key) }
        case let array as [Any]: for element in array { setValue(value, of: element, forKey: key) }
        case let set as Set<AnyHashable>:
            for element in set { setValue(value, of: element.base, forKey: key) }
        default:
            trap(
                "Key '\(key)' of '\(subject)' of type '\(type(of: subject))' is undefined and cannot be set.")
        }
    }

    // MARK: Contents

    /// Returns the members of a set, or the distinct elements of another value.
    static func members(of value: Any?) -> Set<AnyHashable> {
        Set((CollectionContents.elements(of: value) ?? []).compactMap { hashable($0) })
    }
}

/// A collection of a realm, without its element type, for key-value coding.
protocol KeyValueCodedCollection: UntypedElements {
    func codedValue(forKey key: String) -> Any?
    func setCodedValue(_ value: Any?, forKey key: String)
}

extension KeyValueCodedCollection where Self: RealmCollectionBase {
    var codedElements: [Any] { map { $0 as Any } }

    func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        let values: [Any] = map { KeyValueCoding.value(of: $0, forKey: key) ?? NSNull() }
        return values
    }

    func setCodedValue(_ value: Any?, forKey key: String) {
        for element in self { KeyValueCoding.setValue(value, of: element, forKey: key) }
    }
}

extension List: KeyValueCodedCollection {}
extension MutableSet: KeyValueCodedCollection {
    func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return Set(compactMap { hashable(KeyValueCoding.value(of: $0, forKey: key)) })
    }
}
extension LinkingObjects: KeyValueCodedCollection {}

extension Map: KeyValueCodedCollection {
    var codedElements: [Any] { values.map { $0 as Any } }

    func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return flatten(self[Key(_mapKey: key)])
    }

    func setCodedValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(for: Key(_mapKey: key)) }
        guard let value = nonNull(value) else {
            // A nil value of an optional type, or the null marker.
            if let null = Value.element(from: nil) {
                return updateValue(null, forKey: Key(_mapKey: key))
            }
            return removeObject(for: Key(_mapKey: key))
        }
        guard let element = Value.element(from: value) else {
            trap("'\(value)' is no value of a map of '\(Value.self)'.")
        }
        updateValue(element, forKey: Key(_mapKey: key))
    }
}
