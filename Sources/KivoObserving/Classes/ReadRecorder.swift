import Foundation
import Synchronization

/// Records which observed properties a key path reads, to find out to which property it leads.
///
/// Only properties of instances with observations record their reads, and only on the thread that asks.
enum ReadRecorder {
    struct Read: Equatable {
        let object: ObjectIdentifier
        let column: Int
    }

    private static let activeCount = Atomic<Int>(0)
    private static let recorded = Locked<[ObjectIdentifier: [Read]]>([:])

    /// Whether any thread records its reads.
    @inline(__always)
    static var isActive: Bool { activeCount.load(ordering: .relaxed) > 0 }

    static func note(_ object: AnyObject, _ column: Int) {
        let read = Read(object: ObjectIdentifier(object), column: column)
        recorded.withLock { $0[ObjectIdentifier(Thread.current)]?.append(read) }
    }

    /// Returns the reads of `body` on this thread, in order.
    static func reads(_ body: () -> Void) -> [Read] {
        let thread = Thread.current
        let outer = recorded.withLock { $0.updateValue([], forKey: ObjectIdentifier(thread)) }
        activeCount.add(1, ordering: .relaxed)
        body()
        activeCount.subtract(1, ordering: .relaxed)
        return recorded.withLock {
            let reads = $0.removeValue(forKey: ObjectIdentifier(thread)) ?? []
            if let outer { $0[ObjectIdentifier(thread)] = outer }
            return reads
        }
    }
}
