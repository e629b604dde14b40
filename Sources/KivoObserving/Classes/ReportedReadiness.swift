#if !canImport(ObjectiveC)
import Foundation
import Synchronization

/// Whether an operation was ready when its observers were last told, and the announcement of each change.
///
/// An operation becomes ready because another has finished or because it is cancelled, and Foundation announces that to no observer.
/// But Foundation then reads the state, outside of its locks, before it starts the operation.
struct ReportedReadiness: ~Copyable {
    /// Whether the operation was ready; `isAnnouncing` while a thread announces a change.
    private let state = Atomic<UInt8>(isReady)
    private static let isReady: UInt8 = 1
    private static let isAnnouncing: UInt8 = 2

    /// The operation whose change this thread is about to announce. Its observers read the old state.
    private static let announced = ThreadLocalPointer()

    /// Announces that the state differs from the reported one, unless another thread is about to.
    ///
    /// - Parameter read: returns the state of the operation.
    /// - Returns: the state for the code that reads it.
    func checked(_ operation: any KeyValueObservable, _ read: () -> Bool) -> Bool {
        let address = Unmanaged.passUnretained(operation as AnyObject).toOpaque()
        if Self.announced.value == address { return state.load(ordering: .relaxed) & Self.isReady != 0 }
        while true {
            let isReady = read()
            let (old, new) = isReady ? (0, Self.isReady) : (Self.isReady, 0)
            // While a change is announced, the state can change again: the announcing thread looks again.
            guard
                state.compareExchange(
                    expected: old, desired: old | Self.isAnnouncing, ordering: .acquiringAndReleasing
                ).exchanged
            else { return isReady }
            let outer = Self.announced.value
            Self.announced.value = address
            operation.willChangeValue(forKey: "isReady")
            Self.announced.value = outer
            state.store(new, ordering: .releasing)
            operation.didChangeValue(forKey: "isReady")
        }
    }
}
#endif
