/// What ends with its thread, unless it has ended before: a write that nobody else can end.
protocol EndsWithThread: AnyObject {
    /// Called at the end of the thread.
    func threadEnds()
}

/// What a thread keeps from the first need to its end. Confined with it.
final class ThreadStorage {
    /// What has begun on the thread and not ended. Most threads have one such thing at a time, which has a place of its own.
    @exclusivity(unchecked) private var begun: (any EndsWithThread)?
    @exclusivity(unchecked) private var more: [any EndsWithThread] = []
    /// The turns of the thread's run loop, once somebody listens.
    var turns: TurnQueue?
    /// What finds out whether reads are being noted, once somebody asked.
    @exclusivity(unchecked) var readProbe: AnyObject?

    /// Calls a body with the storage of the thread that runs this code.
    @inline(__always)
    static func withCurrent<Result>(_ body: (ThreadStorage) -> Result) -> Result {
        // The thread owns it until it ends.
        Unmanaged<ThreadStorage>.fromOpaque(pointer.value ?? make())._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private static func make() -> UnsafeMutableRawPointer {
        let made = Unmanaged.passRetained(ThreadStorage()).toOpaque()
        pointer.value = made
        return made
    }

    /// Has something told of the end of the thread, until it ends by itself.
    func begin(_ activity: any EndsWithThread) {
        if begun == nil { begun = activity } else { more.append(activity) }
    }

    /// Forgets what has ended by itself.
    func end(_ activity: any EndsWithThread) {
        if begun === activity {
            begun = nil
        } else if let place = more.lastIndex(where: { $0 === activity }) {
            // The same may have begun twice: an asynchronous write, and one at once.
            more.remove(at: place)
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
