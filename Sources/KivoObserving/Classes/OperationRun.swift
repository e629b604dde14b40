#if !canImport(ObjectiveC)
import Foundation

/// An execution of an operation, which notifies the observers of the states that Foundation changes.
///
/// Foundation reads each state that it has changed, on the thread that runs the operation and before operations and queues that wait
/// for it continue. The change is announced then, as a whole: an observer that was registered while the operation ran learns of its
/// end.
final class OperationRun {
    /// The innermost execution on this thread.
    private static let current = ThreadLocalPointer()

    private unowned let operation: KeyValueOperation
    /// The states by name, as observers know them.
    private var reported: [String: Bool]
    /// The state that is about to change. Its observers read the old value.
    private var announced: String?
    /// Whether observers are being notified. They read the other state without being notified of it.
    private var isNotifying = false

    private init(_ operation: KeyValueOperation) {
        self.operation = operation
        reported = ["isExecuting": operation.isExecuting, "isFinished": operation.isFinished]
    }

    /// Calls `start`, which starts the operation and runs it to its end.
    static func perform(_ operation: KeyValueOperation, _ start: () -> Void) {
        let (run, outer) = (OperationRun(operation), current.value)
        current.value = Unmanaged.passUnretained(run).toOpaque()
        withExtendedLifetime(run, start)
        current.value = outer
    }

    /// Announces that a state differs from the reported one, if this thread runs the operation.
    ///
    /// - Returns: the state for the code that reads it.
    static func state(_ name: String, of operation: KeyValueOperation, _ value: Bool) -> Bool {
        guard let address = current.value else { return value }
        let run = Unmanaged<OperationRun>.fromOpaque(address).takeUnretainedValue()
        return run.operation === operation ? run.state(name, value) : value
    }

    private func state(_ name: String, _ value: Bool) -> Bool {
        if announced == name { return !value }
        if isNotifying || reported[name] == value { return value }
        let observable: any KeyValueObservable = operation
        (isNotifying, announced) = (true, name)
        observable.willChangeValue(forKey: name)
        announced = nil
        reported[name] = value
        observable.didChangeValue(forKey: name)
        isNotifying = false
        return value
    }
}
#endif
