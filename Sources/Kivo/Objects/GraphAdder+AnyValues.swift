import KivoEngine

/// Values of any type in the values from which an object is created: objects in them that are not in this realm are copied.
extension GraphAdder {
    /// Returns the value to write instead of a value, with copies of the objects that are not in this realm. If copies have to be
    /// written first, they are open afterwards. Call this again when they are written.
    func withCopies(_ original: Any?, _ property: PropertyInfo) -> Any? {
        guard let value = nonNull(original) else { return original }
        switch property.type.collection {
        case .none:
            guard let value = AnyRealmValue.fromAny(value), needsCopy(value) else { return original }
            return withCopies(value)
        case .map:
            guard let entries = CollectionContents.entries(value) else { return original }
            let values = entries.compactMap { AnyRealmValue.fromAny($0.value) }
            guard values.count == entries.count, values.contains(where: needsCopy) else { return original }
            return Dictionary(
                zip(entries, values).map { ($0.key, withCopies($1) as Any) }, uniquingKeysWith: { $1 })
        case .list, .set, .linkingObjects:
            guard let elements = CollectionContents.elements(ofSequence: value) else { return original }
            let values = elements.compactMap { AnyRealmValue.fromAny($0) }
            guard values.count == elements.count, values.contains(where: needsCopy) else { return original }
            return values.map(withCopies)
        }
    }

    /// Returns whether a value is or contains an object that is not in this realm.
    private func needsCopy(_ value: AnyRealmValue) -> Bool {
        switch value {
        case .object(let object): !isHere(object)
        case .list(let list): list.contents.contains(where: needsCopy)
        case .dictionary(let map): map.entries.contains { needsCopy($0.value) }
        default: false
        }
    }

    private func withCopies(_ value: AnyRealmValue) -> AnyRealmValue {
        switch value {
        case .object(let object) where !isHere(object):
            .object(unsafeDowncast(copy(of: object), to: Object.self))
        case .list(let list): .fromArray(list.contents.map(withCopies))
        case .dictionary(let map):
            .fromDictionary(
                Dictionary(map.entries.map { ($0.key, withCopies($0.value)) }, uniquingKeysWith: { $1 }))
        default: value
        }
    }
}
