import Foundation

/// Values by name of objects of plain classes: the behaviour of ``KeyValueObservable`` and of the base classes that can be
/// overridden.
extension ReflectedClass {
    static func value(of object: any KeyValueObservable, forKey key: String) -> Any? {
        if key == "self" { return object }
        guard let known = object._observing.base as? ReflectedClass else {
            return object.value(forUndefinedKey: key)
        }
        known.checkActor()
        if let field = known.field(key) { return flatten(field.value(in: object)) }
        if let keyPath = known.computedProperty(key) { return known.value(of: object, keyPath) }
        return object.value(forUndefinedKey: key)
    }

    // Not optimized, as are the traps: copies for each kind of class would make every program larger.
    @_optimize(none)
    static func setValue(_ value: Any?, of object: any KeyValueObservable, forKey key: String) {
        let value = nonNull(value)
        guard let known = object._observing.base as? ReflectedClass else {
            return object.setValue(value, forUndefinedKey: key)
        }
        known.checkActor()
        // A property that the class names is set by its own setter.
        let named = known.computedProperty(key).flatMap { isWritable($0) ? $0 : nil }
        if named == nil, let field = known.field(key) {
            guard field.storage != nil else {
                trap(
                    """
                    Key '\(key)' of class '\(known.name)' cannot be set by name: declare the property '@Observed'.
                    """)
            }
            if known.setValue(value, field, of: object) { return }
            if value == nil { return object.setNilValueForKey(key) }
            trap("'\(value!)' is no value of property '\(known.name).\(key)'.")
        }
        guard let keyPath = known.computedProperty(key) else {
            return object.setValue(value, forUndefinedKey: key)
        }
        KeyValueCoding.setComputed(keyPath, value, key, of: object, known)
    }

    @_optimize(none)
    static func trapUndefined(_ key: String, of object: any KeyValueObservable) -> Never {
        trap(
            """
            Class '\(object._observing.base.name)' has no key '\(key)': it is undefined. Name computed properties in \
            'computedProperties()', or implement 'value(forUndefinedKey:)'.
            """)
    }

    @_optimize(none)
    static func trapUndefined(assigned key: String, of object: any KeyValueObservable) -> Never {
        trap(
            """
            Class '\(object._observing.base.name)' has no key '\(key)' that can be set: it is undefined. Name computed \
            properties in 'computedProperties()', or implement 'setValue(_:forUndefinedKey:)'.
            """)
    }

    @_optimize(none)
    static func trapNil(_ key: String, of object: any KeyValueObservable) -> Never {
        trap(
            """
            Nil is an invalid argument for key '\(key)' of class '\(object._observing.base.name)', which is not optional: \
            implement 'setNilValueForKey(_:)' to give it a meaning.
            """)
    }
}
