import Kivo

/// A collection on which observers can be registered by name, for its `isInvalidated`.
public protocol KeyValueObservableCollection: AnyObject {
    /// Registers an observer of a key path by name.
    func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions,
        context: UnsafeMutableRawPointer?)

    /// Removes a registration of an observer for a key path with a context.
    func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?)
}

extension List: KeyValueObservableCollection {}

extension MutableSet: KeyValueObservableCollection {}

extension Map: KeyValueObservableCollection {}

/// Something on which observers can be registered by name: an object of any observable class, or a collection.
enum NamedSubject {
    case object(any KeyValueObservable)
    case collection(any KeyValueObservableCollection)

    /// Returns nil if a value cannot be observed.
    init?(_ value: Any) {
        if let object = value as? any KeyValueObservable {
            self = .object(object)
        } else if let collection = value as? any KeyValueObservableCollection {
            self = .collection(collection)
        } else {
            return nil
        }
    }

    var identity: AnyObject {
        switch self {
        case .object(let object): object
        case .collection(let collection): collection
        }
    }

    func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions,
        context: UnsafeMutableRawPointer?
    ) {
        switch self {
        case .object(let object):
            object.addObserver(observer, forKeyPath: keyPath, options: options, context: context)
        case .collection(let collection):
            collection.addObserver(observer, forKeyPath: keyPath, options: options, context: context)
        }
    }

    func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        switch self {
        case .object(let object):
            object.removeObserver(observer, forKeyPath: keyPath, context: context)
        case .collection(let collection):
            collection.removeObserver(observer, forKeyPath: keyPath, context: context)
        }
    }
}
