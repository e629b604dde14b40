import Foundation
import Synchronization

/// Records which observed properties a key path reads, to find out to which property it leads.
///
/// Only properties of instances with observations record their reads, and only on the thread that asks. A property can be given
/// another value for the recorded reads, which no other thread sees.
enum ReadRecorder {
    struct Read: Equatable {
        /// The object, retained so that no other object gets its address.
        let object: AnyObject
        let column: Int
        /// The key path of the property, in the class that declares it; nil if it is not known.
        let property: AnyKeyPath?

        static func == (a: Read, b: Read) -> Bool { a.object === b.object && a.column == b.column }
    }

    private struct Recording: @unchecked Sendable {
        // Proof of `Sendable`: only one thread uses a recording, which the table of recordings identifies by that thread.
        var reads: [Read] = []
        let substitute: (Read, Any) -> Any?
    }

    private static let activeCount = Atomic<Int>(0)
    private static let recordings = Locked<[ObjectIdentifier: Recording]>([:])

    /// Whether any thread records its reads.
    @inline(__always)
    static var isActive: Bool { activeCount.load(ordering: .relaxed) > 0 }

    /// Whether this thread records its reads.
    @inline(never)
    static var isRecording: Bool { recordings.withLock { $0[ObjectIdentifier(Thread.current)] != nil } }

    /// Records a read of a value, and returns the value that stands for the property's own, if any.
    static func read(
        _ object: AnyObject, _ column: Int, _ property: AnyKeyPath?, _ value: @autoclosure () -> Any
    ) -> Any? {
        let read = Read(object: object, column: column, property: property)
        let substitute = recordings.withLock { recordings in
            let thread = ObjectIdentifier(Thread.current)
            recordings[thread]?.reads.append(read)
            return recordings[thread]?.substitute
        }
        return substitute?(read, value())
    }

    /// Returns the reads of `body` on this thread, in order. For each read and its value, `substitute` returns the value that stands
    /// for it, if any.
    static func reads(
        substituting substitute: @escaping (Read, Any) -> Any? = { _, _ in nil }, _ body: () -> Void
    ) -> [Read] {
        let thread = Thread.current
        let outer = recordings.withLock {
            $0.updateValue(Recording(substitute: substitute), forKey: ObjectIdentifier(thread))
        }
        activeCount.add(1, ordering: .relaxed)
        // A read that is recorded finds the place of its property by an access that may modify it.
        ThreadSanitizer.ignoringWrites(body)
        activeCount.subtract(1, ordering: .relaxed)
        let recording = recordings.withLock {
            let recording = $0.removeValue(forKey: ObjectIdentifier(thread))
            if let outer { $0[ObjectIdentifier(thread)] = outer }
            return recording
        }
        return recording?.reads ?? []
    }
}
