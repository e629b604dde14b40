import Dispatch
import KivoEngine

/// The identity of a serial queue: a number that the queue carries from its first realm on.
struct QueueIdentity: Hashable, Sendable {
    private let number: UInt

    private static let key = DispatchSpecificKey<QueueIdentity>()
    /// The number that was assigned last. Held while a queue gets its number, so that it gets only one.
    private static let lastNumber = Lock<UInt>(0)
    /// The identity of the main queue. The queue must carry its number before another queue's number is looked up. It cannot be
    /// recognised by its address, because several objects represent it.
    static let main = make(.main)

    /// The identity of the queue that runs this code, or that its target carries, or nil if there is none.
    static var current: QueueIdentity? { DispatchQueue.getSpecific(key: key) }

    /// Whether the main queue runs this code.
    static var isMainCurrent: Bool {
        let main = main
        return current == main
    }

    /// Returns the identity of a queue. Traps if the queue is concurrent.
    static func of(_ queue: DispatchQueue) -> QueueIdentity {
        _ = main
        if let known = queue.getSpecific(key: key) { return known }
        if queue.isConcurrent {
            trap(
                """
                Queue '\(queue.label)' is concurrent: a realm belongs to a serial queue, or to one thread. Make the \
                queue without the attribute '.concurrent'.
                """)
        }
        return make(queue)
    }

    private static func make(_ queue: DispatchQueue) -> QueueIdentity {
        lastNumber.withLock { last in
            if let known = queue.getSpecific(key: key) { return known }
            last += 1
            let identity = QueueIdentity(number: last)
            queue.setSpecific(key: key, value: identity)
            return identity
        }
    }
}

/// A queue that gives realm instances their turns, and is retained for that. All instances of one queue share this object.
final class ServedQueue: Sendable {
    private let queue: Lock<DispatchQueue>
    private let identity: ObjectIdentifier

    private struct Weak: Sendable {
        weak var queue: ServedQueue?
    }

    private static let all = Lock<[ObjectIdentifier: Weak]>([:])

    private init(_ queue: DispatchQueue) {
        identity = ObjectIdentifier(queue)
        self.queue = Lock(queue)
    }

    deinit {
        // Another object may have replaced this one since its last reference was released.
        ServedQueue.all.withLock { all in
            if all[identity]?.queue == nil { all[identity] = nil }
        }
    }

    /// Returns the object that serves a queue, which is created if there is none.
    static func of(_ queue: DispatchQueue) -> ServedQueue {
        all.withLock { all in
            if let known = all[ObjectIdentifier(queue)]?.queue { return known }
            let served = ServedQueue(queue)
            all[ObjectIdentifier(queue)] = Weak(queue: served)
            return served
        }
    }

    /// Runs a closure on the queue.
    func async(_ body: @escaping @Sendable () -> Void) { queue.withLock { $0 }.async(execute: body) }

    /// Whether this object holds the only reference to the queue, so that the program enqueues no more blocks. On Apple's
    /// platforms that cannot be found out.
    var isUnreferenced: Bool { queue.withLock { isKnownUniquelyReferenced(&$0) } }
}
