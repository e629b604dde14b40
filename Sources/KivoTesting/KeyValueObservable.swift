import Foundation
import Kivo

/// An object on which observers can be registered by key path name: objects of models, and collections for their `isInvalidated`.
public protocol KeyValueObservable: AnyObject {
    /// Registers an observer of a key path by name.
    func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions,
        context: UnsafeMutableRawPointer?)

    /// Removes a registration of an observer for a key path with a context.
    func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?)
}

extension ObjectBase: KeyValueObservable {}

extension List: KeyValueObservable {}

extension MutableSet: KeyValueObservable {}

extension Map: KeyValueObservable {}
