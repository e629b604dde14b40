#if !canImport(ObjectiveC)
import Foundation

/// The states of operations by name, which every class of operations has.
enum OperationState {
    static let names = Names()

    /// The states of which Foundation learns. An operation that has finished is not executing any more.
    static let announced = ["isReady", "isCancelled", "isExecuting", "isFinished"]

    /// Key paths of a dictionary are not known to be `Sendable`.
    struct Names: @unchecked Sendable {
        // Proof of `Sendable`: key paths without subscripts are immutable.
        let keyPaths: [String: AnyKeyPath] = [
            "isFinished": \Operation.isFinished, "isExecuting": \Operation.isExecuting,
            "isCancelled": \Operation.isCancelled, "isReady": \Operation.isReady,
            "isAsynchronous": \Operation.isAsynchronous,
        ]

        subscript(keyPath: AnyKeyPath) -> String? { keyPaths.first { $0.value == keyPath }?.key }
    }
}
#endif
