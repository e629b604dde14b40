/// An activity that ends with its thread, unless it has ended before: a write that no other thread can end.
protocol EndsWithThread: AnyObject {
    /// Called at the end of the thread.
    func threadEnds()
}

/// The storage of a thread, from its first use to the end of the thread. Confined with it.
final class ThreadStorage {
    /// The activities that have begun on the thread and not ended. Most threads have one at a time, which has a place of its own.
    @exclusivity(unchecked) private var begun: (any EndsWithThread)?
    @exclusivity(unchecked) private var more: [any EndsWithThread] = []
    /// The turns of the thread's run loop, or nil before the first observer.
    var turns: TurnQueue?
    /// The probe that finds out whether reads are recorded, or nil before its first use.
    @exclusivity(unchecked) var readProbe: AnyObject?

    /// Calls a body with the storage of the thread that runs this code.
    @inline(__always)
    static func withCurrent<Result>(_ body: (ThreadStorage) -> Result) -> Result {
        // The thread owns the storage until it ends.
        Unmanaged<ThreadStorage>.fromOpaque(pointer.value ?? make())._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private static func make() -> UnsafeMutableRawPointer {
        let made = Unmanaged.passRetained(ThreadStorage()).toOpaque()
        pointer.value = made
        return made
    }

    /// Registers an activity that ends with the thread, unless `end(_:)` is called before.
    func begin(_ activity: any EndsWithThread) {
        if begun == nil { begun = activity } else { more.append(activity) }
    }

    /// Removes an activity that has ended by itself.
    func end(_ activity: any EndsWithThread) {
        if begun === activity {
            begun = nil
        } else if let index = more.lastIndex(where: { $0 === activity }) {
            // An activity may have begun twice: by an asynchronous write, and by a synchronous one.
            more.remove(at: index)
        }
    }

    /// Called by the system at the end of the thread.
    private static func end(_ storage: UnsafeMutableRawPointer?) {
        guard let storage else { return }
        let ending = Unmanaged<ThreadStorage>.fromOpaque(storage).takeRetainedValue()
        ending.begun?.threadEnds()
        for activity in ending.more { activity.threadEnds() }
        ending.turns?.threadEnds()
    }

    private static let pointer = ThreadLocalPointer(atEnd: { end($0) })
}
