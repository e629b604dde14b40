#if !canImport(ObjectiveC)
import Foundation

/// Announcements of the states of an operation, which operation queues wait for, to the observers of a ``KeyValueObservable``
/// subclass.
///
/// Foundation has announcements of its own in `Operation`, which Swift prefers to those of ``KeyValueObservable``: those by name
/// reach no observer.
extension Operation {
    /// Announces that a state of the operation will change, to Foundation and to observers.
    public func willChangeValue(for keyPath: KeyPath<Operation, Bool>) {
        func announce<Value>(_ keyPath: KeyPath<Operation, Value>) { willChangeValue(for: keyPath) }
        announce(keyPath)
        if let name = OperationState.names[keyPath] {
            (self as? any KeyValueObservable)?.willChangeValue(forKey: name)
        }
    }

    /// Announces that a state of the operation did change, to observers and then to Foundation: code that waits for the operation
    /// continues after they were notified.
    public func didChangeValue(for keyPath: KeyPath<Operation, Bool>) {
        func announce<Value>(_ keyPath: KeyPath<Operation, Value>) { didChangeValue(for: keyPath) }
        defer { announce(keyPath) }
        if let name = OperationState.names[keyPath] {
            (self as? any KeyValueObservable)?.didChangeValue(forKey: name)
        }
    }
}
#endif
