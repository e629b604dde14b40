import Dispatch
import KivoEngine

/// A queue that gives realm instances their turns, and is kept for that: all instances of one queue share this.
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
        // Another one may have taken this one's place since its last reference went.
        ServedQueue.all.withLock { all in
            if all[identity]?.queue == nil { all[identity] = nil }
        }
    }

    /// The one of a queue.
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

    /// Whether nobody else refers to the queue: nothing is enqueued any more by the program. On Apple's platforms that cannot be
    /// told.
    var isUnreferenced: Bool { queue.withLock { isKnownUniquelyReferenced(&$0) } }
}
