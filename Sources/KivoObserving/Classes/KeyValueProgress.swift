#if !canImport(ObjectiveC)
import Foundation

/// A progress whose counts, fraction and states can be observed. It stands in for `Progress` where Foundation has no key-value
/// observing.
///
///     let whole = KeyValueProgress(totalUnitCount: 2)
///     let token = whole.observe(\.fractionCompleted) { whole, _ in print(whole.fractionCompleted) }
///     let part = KeyValueProgress(totalUnitCount: 10, parent: whole, pendingUnitCount: 1)
///     part.completedUnitCount = 5
///
/// A change of a child is a change of all progresses above it, as far as these and the child are of this class. A child becomes one
/// by ``addChild(_:withPendingUnitCount:)``, by the initializers with a parent, or as the first progress that is created after
/// `becomeCurrent(withPendingUnitCount:)`. A change of a count notifies the observers of `fractionCompleted`, `isFinished` and
/// `isIndeterminate`, too, and those above of `completedUnitCount`. Values can be equal. Like those of other classes, handlers are called
/// on the thread that changes the progress.
open class KeyValueProgress: Progress, KeyValueObservable, @unchecked Sendable {
    // Proof of `Sendable`: the weak reference is set once, when the progress becomes a child; the rest is Foundation's.

    /// The progress of which this one is a child.
    private weak var observedParent: KeyValueProgress?

    /// Returns the properties that have names; see ``KeyValueObservable/computedProperties()``.
    open class func computedProperties() -> [String: AnyKeyPath] {
        [
            "completedUnitCount": \Progress.completedUnitCount, "totalUnitCount": \Progress.totalUnitCount,
            "fractionCompleted": \Progress.fractionCompleted, "isFinished": \Progress.isFinished,
            "isIndeterminate": \Progress.isIndeterminate, "isCancelled": \Progress.isCancelled,
            "isPaused": \Progress.isPaused,
        ]
    }

    private static let derived = ["fractionCompleted", "isFinished", "isIndeterminate"]

    /// The keys that change with a count, on a progress and on those above it.
    private typealias CountChange = [(progress: KeyValueProgress, keys: [String])]

    /// Announces a change of a count on this progress and on those above it.
    private func willChangeCount(_ key: String) -> CountChange {
        var places: CountChange = [(self, [key] + Self.derived)]
        while let parent = places.last?.progress.observedParent {
            places.append((parent, ["completedUnitCount"] + Self.derived))
        }
        for (progress, keys) in places { keys.forEach { progress.willChangeValue(forKey: $0) } }
        return places
    }

    private func didChangeCount(_ places: CountChange) {
        for (progress, keys) in places { keys.reversed().forEach { progress.didChangeValue(forKey: $0) } }
    }

    private func changing(_ key: String, _ change: () -> Void) {
        willChangeValue(forKey: key)
        change()
        didChangeValue(forKey: key)
    }

    /// The number of units of the whole work.
    open override var totalUnitCount: Int64 {
        get { super.totalUnitCount }
        set {
            let change = willChangeCount("totalUnitCount")
            super.totalUnitCount = newValue
            didChangeCount(change)
        }
    }

    /// The number of units that are done.
    open override var completedUnitCount: Int64 {
        get { super.completedUnitCount }
        set {
            let change = willChangeCount("completedUnitCount")
            super.completedUnitCount = newValue
            didChangeCount(change)
        }
    }

    /// A Boolean value that indicates whether the work was cancelled.
    open override var isCancelled: Bool {
        get { super.isCancelled }
        set { changing("isCancelled") { super.isCancelled = newValue } }
    }

    /// A Boolean value that indicates whether the work is paused.
    open override var isPaused: Bool {
        get { super.isPaused }
        set { changing("isPaused") { super.isPaused = newValue } }
    }

    /// Adds a child, which stands for a part of the work.
    open override func addChild(_ child: Progress, withPendingUnitCount inUnitCount: Int64) {
        let change = willChangeCount("completedUnitCount")
        super.addChild(child, withPendingUnitCount: inUnitCount)
        didChangeCount(change)
        (child as? KeyValueProgress)?.observedParent = self
    }

    /// Ends the time in which a new progress becomes a child of this one. Without a child the pending units are done.
    @available(*, noasync)
    open override func resignCurrent() {
        let change = willChangeCount("completedUnitCount")
        super.resignCurrent()
        didChangeCount(change)
    }
}
#endif
