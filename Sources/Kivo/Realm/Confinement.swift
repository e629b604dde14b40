import Dispatch
import Foundation

/// The one thread or serial queue that a realm instance belongs to.
enum Confinement: Hashable, Sendable {
    /// The main thread, or whichever thread serves the main queue after `dispatchMain()`.
    case main(ThreadIdentity)
    case thread(ThreadIdentity)
    case queue(QueueIdentity)
    /// A frozen realm belongs to nobody and can be read everywhere.
    case none

    /// The thread that runs this code, or the main queue.
    static var currentThread: Confinement { isOnMain ? .main(mainThread) : .thread(.current) }

    /// The confinement of a realm that is opened here with or without a queue.
    static func of(_ queue: DispatchQueue?) -> Confinement {
        guard let queue else { return currentThread }
        return queue === DispatchQueue.main ? .main(mainThread) : .queue(QueueIdentity.of(queue))
    }

    /// Whether this code runs where the realm belongs.
    @inline(__always)
    var isCurrent: Bool {
        switch self {
        case .thread(let identity): identity == .current
        case .main(let identity): identity == .current || Confinement.isOnMain
        case .queue(let identity): DispatchQueue.getSpecific(key: QueueIdentity.key) == identity
        case .none: true
        }
    }

    private static let mainQueue = QueueIdentity.of(.main)
    /// The identity of the thread that first asked for it on the main thread; others are told apart by the queue.
    private static let mainThread = Thread.isMainThread ? ThreadIdentity.current : ThreadIdentity.unknown

    @inline(never)
    private static var isOnMain: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: QueueIdentity.key) == mainQueue
    }
}

/// Tells queues apart: a number that a queue carries from its first realm on.
struct QueueIdentity: Hashable, Sendable {
    private let id: UUID

    static let key = DispatchSpecificKey<QueueIdentity>()

    static func of(_ queue: DispatchQueue) -> QueueIdentity {
        if let known = queue.getSpecific(key: key) { return known }
        let identity = QueueIdentity(id: UUID())
        queue.setSpecific(key: key, value: identity)
        return identity
    }
}
