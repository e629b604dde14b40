#if !canImport(ObjectiveC)
import Foundation

/// Announcements of the states of an operation, which operation queues wait for, to the observers of a ``KeyValueObservable``
/// subclass.
///
/// Foundation has methods of these names in `Operation` that reach no observer, and that cannot be overridden. A property hides
/// them, and is called like a method.
extension Operation {
    /// Announces that a state of the operation or another value will change, to Foundation and to observers.
    public var willChangeValue: OperationAnnouncement { OperationAnnouncement(self, isPrior: true) }

    /// Announces that a state of the operation or another value did change, to observers and then to Foundation: code that waits for
    /// the operation continues after they were notified.
    public var didChangeValue: OperationAnnouncement { OperationAnnouncement(self, isPrior: false) }

    /// Announces a change of a state to Foundation alone.
    func notifyFoundation(ofState name: String) { Self.call(Operation.didChangeValue(forKey:), self, name) }

    /// Calls a method of Foundation, which the properties above hide.
    fileprivate static func call<Key>(
        _ method: (Operation) -> (Key) -> Void, _ operation: Operation, _ key: Key
    ) {
        method(operation)(key)
    }
}

/// An announcement of an operation, which is called with a key or a key path: `willChangeValue(forKey: "isFinished")` or
/// `willChangeValue(for: \.isFinished)`.
public struct OperationAnnouncement {
    private let operation: Operation
    private let isPrior: Bool

    fileprivate init(_ operation: Operation, isPrior: Bool) {
        self.operation = operation
        self.isPrior = isPrior
    }

    /// Announces a key.
    public func callAsFunction(forKey key: String) {
        if isPrior {
            Operation.call(Operation.willChangeValue(forKey:), operation, key)
            (operation as? any KeyValueObservable)?.willChangeValue(forKey: key)
        } else {
            (operation as? any KeyValueObservable)?.didChangeValue(forKey: key)
            Operation.call(Operation.didChangeValue(forKey:), operation, key)
        }
    }

    /// Announces the key path of a state.
    public func callAsFunction<Value>(for keyPath: KeyPath<Operation, Value>) {
        let name = OperationState.names[keyPath]
        let observable = name == nil ? nil : operation as? any KeyValueObservable
        if isPrior {
            Operation.call(Operation.willChangeValue(for:), operation, keyPath)
            observable?.willChangeValue(forKey: name!)
        } else {
            observable?.didChangeValue(forKey: name!)
            Operation.call(Operation.didChangeValue(for:), operation, keyPath)
        }
    }
}
#endif
