/// The keys of the observed object or collection, and the rules of its class for them.
extension Observations {
    /// Returns the key that a component of a key path identifies on the subject.
    func key(of component: KeyPathComponent) -> ObservedKey {
        if let info { return info.observedKey(component) }
        guard case .key(let name) = component, name != "isInvalidated" else { return .invalidated }
        return .named(name)
    }

    /// Returns the index of a key among the keys that were ever observed.
    func place(_ key: ObservedKey) -> Int? {
        for index in keys.indices where keys[index].key.column == key.column {
            if key.column >= -1 || keys[index].key == key { return index }
        }
        return nil
    }

    /// Returns the key paths on which a key's value depends, by the rules of the class.
    func dependencies(of component: KeyPathComponent, _ typed: AnyKeyPath?) -> [WatchedKeyPath] {
        guard let info else { return [] }
        switch component {
        case .key(let name): return info.dependencies(ofKey: name, typed)
        case .computed(let keyPath): return info.dependencies(of: keyPath)
        case .operation: return []
        }
    }

    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool {
        guard let info else { return true }
        if key.column == -1 { return true }
        return info.isAutomatic(key, typed)
    }
}
