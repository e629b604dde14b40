import KivoObserving

/// Key paths of model objects.
extension WatchedKeyPath {
    /// Returns the persisted or ignored property to which the key path leads from a class, if any.
    func property(from info: ClassInfo) -> (persisted: PropertyInfo?, ignored: IgnoredPropertyInfo?) {
        var info = info
        for (index, component) in components.enumerated() {
            guard case .key(let name) = component else { break }
            let isLast = index + 1 == components.count
            let target: ObjectBase.Type?
            if let property = info.property(named: name) {
                if isLast { return (property, nil) }
                target = property.type.collection == .none ? property.type.target : nil
            } else if let property = info.ignoredProperty(named: name) {
                if isLast { return (nil, property) }
                target = property.wrapper.target
            } else {
                break
            }
            guard let target else { break }
            info = Registry.info(target)
        }
        return (nil, nil)
    }

    /// Traps if the key path cannot be observed from a class: it leads to linking objects or into the elements of a collection.
    /// Unknown names are not checked.
    func check(from info: ClassInfo) {
        var info = info
        for (index, component) in components.enumerated() {
            guard case .key(let name) = component, let property = info.property(named: name) else { return }
            if property.type.collection == .linkingObjects {
                trap(
                    """
                    Linking objects '\(info.name).\(name)' cannot be observed by key-value observing: use \
                    'LinkingObjects.observe'.
                    """)
            }
            guard index + 1 < components.count else { return }
            if property.type.collection != .none {
                if case .key(let next) = components[index + 1], next != "isInvalidated", next != "invalidated"
                {
                    trap(
                        """
                        Key path '\(text)' of class '\(info.name)' leads into the elements of '\(name)', which cannot be \
                        observed: observe '\(name)' or, of the elements, each by itself.
                        """)
                }
                return
            }
            guard let target = property.type.target else { return }
            info = Registry.info(target)
        }
    }
}
