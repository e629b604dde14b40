import Foundation

/// A key of an object or a dictionary, whose value a proxy stands for.
struct KeyValueSlot {
    let owner: Any
    let key: String

    init(_ owner: Any, _ key: String) {
        self.owner = owner
        self.key = key
    }

    /// The slot at the end of a key path. Traps if the path is broken.
    init(_ owner: Any, path: String) {
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

    /// The collection of a realm, if the value is one.
    func collection<T>(_ type: T.Type) -> T? { value as? T }

    /// Sets the value, and tells observers of the key what kind of change that is, and nothing else.
    func setValue(_ value: Any, _ kind: CollectionChangeKind) {
        let assign = { KeyValueCoding.setValue(value, of: owner, forKey: key) }
        guard let object = owner as? ObjectBase, let observations = object.kivoObservations else {
            return assign()
        }
        observations.announcing(object.kivoInfo.observedKey(named: key), kind, assign)
    }

    /// Traps because the value is none that a proxy can stand for.
    func trapMisfit(_ what: String) -> Never {
        trap("Key '\(key)' of '\(type(of: owner))' holds no \(what) and cannot be changed as one.")
    }
}
