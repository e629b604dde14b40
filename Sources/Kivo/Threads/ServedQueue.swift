import Dispatch
import KivoEngine

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
