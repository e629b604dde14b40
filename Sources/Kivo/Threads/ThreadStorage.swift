import Foundation
import KivoObserving
import Synchronization

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
    /// Whether the thread runs a receiver of events.
    @exclusivity(unchecked) var isReceivingEvents = false

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

/// The number of the thread that runs this code, for code that is inlined into other modules.
@usableFromInline
enum CurrentThread {
    @usableFromInline
    static var number: UInt64 { ThreadIdentity.currentNumber }
}

/// The identity of a thread: a number that is assigned on first use, and that no other thread ever has.
///
/// The system reuses its own thread ids once a thread has ended, while objects of the thread's realm may live on.
struct ThreadIdentity: Hashable, Sendable {
    /// Never 0.
    let number: UInt

    /// The thread that the process began with.
    static let main = ThreadIdentity(number: 1)

    private static let next = Atomic<UInt>(2)

    /// The thread that runs this code.
    @inline(__always)
    static var current: ThreadIdentity {
        let stored = read()
        return stored == 0 ? make() : ThreadIdentity(number: stored)
    }

    /// The number of the thread that runs this code, in the width of a reader's words.
    @inline(__always)
    static var currentNumber: UInt64 { UInt64(truncatingIfNeeded: current.number) }

    @inline(never)
    private static func make() -> ThreadIdentity {
        let identity =
            Thread.isMainThread ? main : ThreadIdentity(number: next.add(1, ordering: .relaxed).oldValue)
        write(identity.number)
        return identity
    }

    private static let pointer = ThreadLocalPointer()

    @inline(__always)
    private static func read() -> UInt { UInt(bitPattern: pointer.value) }
    private static func write(_ number: UInt) {
        pointer.value = UnsafeMutableRawPointer(bitPattern: number)
    }
}
