import Foundation

/// Values by name, of every type that has them: objects, collections and their elements, dictionaries, strings.
package enum KeyValueCoding {
    // MARK: Reading

    /// Returns the value of a key. Arrays return an array of their elements' values, with the null marker for nil. Sets return a
    /// set of their members' values, without nil. For nil and the null marker, every value is nil.
    package static func value(of subject: Any?, forKey key: String) -> Any? {
        guard let subject = nonNull(subject) else { return nil }
        if key == "self", (subject as? any KeyValueCodedCollection)?.hasOwnSelf != true { return subject }
        if let object = cast(subject, as: (any KeyValueObservable).self) { return object.value(forKey: key) }
        switch subject {
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

    /// Returns whether a value may have values by name: false for an object of a class that has none.
    static func hasKeys(_ value: Any) -> Bool {
        if !(type(of: value) is AnyClass) { return true }
        return value is any KeyValueObservable || value is any UntypedElements || value is NSArray
            || value is NSSet
            || value is NSDictionary || value is NSString
    }

    /// Returns the value of a key path, which may contain collection operators.
    package static func value(of subject: Any?, forKeyPath keyPath: String) -> Any? {
        guard let subject = nonNull(subject) else { return nil }
        if keyPath.hasPrefix("@") { return CollectionOperator.value(of: subject, keyPath) }
        guard let dot = keyPath.firstIndex(of: ".") else { return value(of: subject, forKey: keyPath) }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        let value = value(of: subject, forKey: String(keyPath[..<dot]))
        if let value, let object = cast(value, as: (any KeyValueObservable).self) {
            return object.value(forKeyPath: rest)
        }
        return self.value(of: value, forKeyPath: rest)
    }

    /// Returns the value to which the components of a key path lead.
    package static func value(of subject: Any?, _ components: ArraySlice<KeyPathComponent>) -> Any? {
        var value = flatten(subject)
        for component in components {
            switch component {
            case .key(let key): value = self.value(of: value, forKey: key)
            case .computed(let keyPath):
                value = value.flatMap { $0[keyPath: keyPath] }.flatMap { flatten($0) }
            case .operation(let path): value = self.value(of: value, forKeyPath: path)
            }
        }
        return value
    }

    // MARK: Writing

    /// Sets the value of a key: on objects, on each element of arrays, sets and collections, and as an entry in mutable
    /// dictionaries. Does nothing if the subject is nil.
    package static func setValue(_ value: Any?, of subject: Any?, forKey key: String) {
        guard let subject = flatten(subject) else { return }
        switch subject {
        case let object as any KeyValueObservable: object.setValue(value, forKey: key)
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

    // MARK: Objects

    /// Returns the value of a key path of an object, whose class may override how keys are read.
    package static func value(ofObject object: any KeyValueObservable, forKeyPath keyPath: String) -> Any? {
        guard !keyPath.hasPrefix("@"), let dot = keyPath.firstIndex(of: ".") else {
            return object.value(forKey: keyPath)
        }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        let value = object.value(forKey: String(keyPath[..<dot]))
        if let value, let object = cast(value, as: (any KeyValueObservable).self) {
            return object.value(forKeyPath: rest)
        }
        return self.value(of: value, forKeyPath: rest)
    }

    /// Sets the value of a key path of an object, whose class may override how keys are read and set.
    package static func setValue(
        _ value: Any?, ofObject object: any KeyValueObservable, forKeyPath keyPath: String
    ) {
        guard let dot = keyPath.lastIndex(of: ".") else { return object.setValue(value, forKey: keyPath) }
        let target = object.value(forKeyPath: String(keyPath[..<dot]))
        setValue(value, of: target, forKey: String(keyPath[keyPath.index(after: dot)...]))
    }

    /// Sets a computed property of an object. Traps if it has no setter, or the value does not fit.
    @_optimize(none)
    package static func setComputed(
        _ keyPath: AnyKeyPath, _ value: Any?, _ key: String, of object: any KeyValueObservable,
        _ subjectClass: any SubjectClass
    ) {
        switch assign(keyPath, value, to: object, subjectClass) {
        case true?: break
        case false? where value == nil: object.setNilValueForKey(key)
        case false?: trap("'\(value!)' is no value of property '\(subjectClass.name).\(key)'.")
        case nil:
            trap("Key '\(key)' of class '\(subjectClass.name)' is read-only: the property has no setter.")
        }
    }

    // MARK: Contents

    /// Returns the members of a set, or the distinct elements of another value.
    package static func members(of value: Any?) -> Set<AnyHashable> {
        Set((CollectionContents.elements(of: value) ?? []).compactMap { hashable($0) })
    }
}

/// A collection without its element type, for key-value coding.
package protocol KeyValueCodedCollection: UntypedElements {
    /// Whether the key `self` is one of the elements, and not the collection.
    var hasOwnSelf: Bool { get }
    /// The forms of values that the elements may have.
    var forms: any KeyValueForms { get }
    func codedValue(forKey key: String) -> Any?
    func setCodedValue(_ value: Any?, forKey key: String)
}

/// A collection without the type of its elements.
package protocol UntypedElements {
    /// The elements; the values of a map.
    var codedElements: [Any] { get }
}

/// Access to the elements of values whose static type is `Any`.
package enum CollectionContents {
    /// Returns the elements of an array, a set or a collection; returns nil for other values.
    package static func elements(of value: Any?) -> [Any]? {
        switch flatten(value) {
        // Includes the proxies of key-value coding, which would be empty if they were cast to a Swift set.
        case let collection as any UntypedElements: collection.codedElements
        case let array as [Any]: array
        case let set as Set<AnyHashable>: set.bases
        case let set as NSSet: set.allObjects
        default: nil
        }
    }
}

extension Set<AnyHashable> {
    /// The members as values of any type. The code exists once: it is long where it is specialized for a set.
    @inline(never)
    var bases: [Any] { map(\.base) }
}

/// Assigns a value through a key path; returns false if the value's type does not fit, or nil if the key path is read-only.
private func assign(
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
