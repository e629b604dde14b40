/// What a thread keeps from the first need to its end. Confined with it.
final class ThreadStorage {
    /// The instances of the thread whose write transaction is open.
    var writing: [InstanceOwner] = []
    /// The turns of the thread's run loop, once somebody listens.
    var turns: TurnQueue?

    /// That of the thread that runs this code.
    static var current: ThreadStorage {
        if let known = pointer.value {
            return Unmanaged<ThreadStorage>.fromOpaque(known).takeUnretainedValue()
        }
        let storage = ThreadStorage()
        pointer.value = Unmanaged.passRetained(storage).toOpaque()
        return storage
    }

    /// Called by the system at the end of the thread.
    ///
    /// A write lasts until somebody on its thread ends it. Now nobody can any more, and everybody else would wait for the
    /// writer's place for ever.
    private static func end(_ storage: UnsafeMutableRawPointer?) {
        guard let storage else { return }
        let ending = Unmanaged<ThreadStorage>.fromOpaque(storage).takeRetainedValue()
        for instanceOwner in ending.writing { instanceOwner.instance.giveUpWrite() }
    }

    private static let pointer = ThreadLocalPointer(atEnd: { end($0) })
}
