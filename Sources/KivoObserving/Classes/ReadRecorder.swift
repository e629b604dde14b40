import Foundation
import Synchronization

/// Records which observed properties a key path reads, to find out to which property it leads.
///
/// Only properties of instances with observations record their reads, and only on the thread that asks. A property can be given
/// another value for the recorded reads, which no other thread sees.
enum ReadRecorder {
    struct Read: Equatable {
        let object: ObjectIdentifier
        let column: Int

        init(_ object: AnyObject, _ column: Int) {
            self.object = ObjectIdentifier(object)
            self.column = column
        }
    }

    private struct Recording: @unchecked Sendable {
        // Proof of `Sendable`: only one thread uses a recording, which the table of recordings identifies by that thread.
        var reads: [Read] = []
        var substitute: (read: Read, value: Any)?
    }

    private static let activeCount = Atomic<Int>(0)
    private static let recordings = Locked<[ObjectIdentifier: Recording]>([:])

    /// Whether any thread records its reads.
    @inline(__always)
    static var isActive: Bool { activeCount.load(ordering: .relaxed) > 0 }

    /// Records a read, and returns the value that stands for the property's own, if any.
    static func read(_ object: AnyObject, _ column: Int) -> Any? {
        let read = Read(object, column)
        return recordings.withLock { recordings in
            let thread = ObjectIdentifier(Thread.current)
            guard recordings[thread] != nil else { return nil }
            recordings[thread]!.reads.append(read)
            guard let substitute = recordings[thread]!.substitute, substitute.read == read else { return nil }
            return substitute.value
        }
    }

    /// Returns the reads of `body` on this thread, in order.
    static func reads(substituting substitute: (read: Read, value: Any)? = nil, _ body: () -> Void) -> [Read]
    {
        let thread = Thread.current
        let outer = recordings.withLock {
            $0.updateValue(Recording(substitute: substitute), forKey: ObjectIdentifier(thread))
        }
        activeCount.add(1, ordering: .relaxed)
        body()
        activeCount.subtract(1, ordering: .relaxed)
        return recordings.withLock {
            let recording = $0.removeValue(forKey: ObjectIdentifier(thread))
            if let outer { $0[ObjectIdentifier(thread)] = outer }
            return recording?.reads ?? []
        }
    }
}
