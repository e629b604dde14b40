import Foundation

/// A key of an object or dictionary whose value a proxy gives access to.
package struct KeyValueSlot {
    let owner: Any
    let key: String

    package init(_ owner: Any, _ key: String) {
        self.owner = owner
        self.key = key
    }

    /// Creates the slot at the end of a key path. Traps if the path is broken.
    package init(_ owner: Any, path: String) {
        guard let dot = path.lastIndex(of: ".") else {
            self.init(owner, path)
            return
        }
        guard let target = KeyValueCoding.value(of: owner, forKeyPath: String(path[..<dot])) else {
            trap("Key path '\(path)' leads to nothing: there is no '\(path[..<dot])'.")
        }
        self.init(target, String(path[path.index(after: dot)...]))
    }

    var value: Any? { KeyValueCoding.value(of: owner, forKey: key) }

    /// Whether the value is a collection that notifies observers of the key of its own changes: the collection of a persisted
    /// property. Other collections that the owner stores notify no observers.
    var isSelfReporting: Bool {
        guard let object = owner as? any KeyValueObservable else { return true }
        return object._observing.base.hasSelfReporting(key)
    }

    /// Sets the value, and notifies observers of the key of exactly one change, of the given kind.
    func setValue(_ value: Any, _ kind: CollectionChangeKind) {
        change(kind) { KeyValueCoding.setValue(value, of: owner, forKey: key) }
    }

    /// Changes the value, and notifies observers of the key of exactly one change, of the given kind.
    func change(_ kind: CollectionChangeKind, _ body: () -> Void) {
        guard let object = owner as? any KeyValueObservable,
            case let subjectClass = object._observing.base,
            let observations = subjectClass.observations(of: object)
        else { return body() }
        observations.announcing(subjectClass.key(of: .key(key)), kind, body)
    }

    /// Edits an array in place, and notifies observers of the key of exactly one change. Returns false if the owner does not store the
    /// array in an ``Observed`` property, or gives the property a setter of its own by naming it.
    func edit(_ change: NSKeyValueChange, _ positions: [Int], _ objects: [Any]) -> Bool {
        guard let object = owner as? any KeyValueObservable,
            let known = object._observing.base as? ReflectedClass,
            known.computedProperty(key) == nil, let field = known.field(key), let storage = field.storage,
            storage.valueType is any ArrayValue.Type
        else { return false }
        self.change(.announced(change, positions)) {
            let address = Unmanaged.passUnretained(object as AnyObject).toOpaque() + field.offset
            if storage.edit(at: address, of: object, change, positions, objects) == true { return }
            trap("'\(objects)' are no elements of property '\(known.name).\(key)'.")
        }
        return true
    }

    /// Traps because a proxy cannot give access to the value.
    func trapMisfit(_ what: String) -> Never {
        trap("Key '\(key)' of '\(type(of: owner))' holds no \(what) and cannot be changed as one.")
    }
}
