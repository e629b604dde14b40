import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(WinSDK)
import WinSDK
#endif

/// The one thread or serial queue that a realm instance belongs to.
enum Confinement: Hashable, Sendable {
    case thread(UInt)
    case queue(QueueIdentity)
    /// A frozen realm belongs to nobody and can be read everywhere.
    case none

    /// The thread that runs this code.
    static var currentThread: Confinement { .thread(currentThreadID) }

    /// The confinement of a realm that is opened here with or without a queue.
    static func of(_ queue: DispatchQueue?) -> Confinement {
        guard let queue, queue !== DispatchQueue.main else { return currentThread }
        return .queue(QueueIdentity.of(queue))
    }

    /// Whether this code runs where the realm belongs.
    @inline(__always)
    var isCurrent: Bool {
        switch self {
        case .thread(let id): id == Confinement.currentThreadID
        case .queue(let identity): DispatchQueue.getSpecific(key: QueueIdentity.key) == identity
        case .none: true
        }
    }

    private static var currentThreadID: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #elseif canImport(WinSDK)
        UInt(GetCurrentThreadId())
        #else
        UInt(pthread_self())
        #endif
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
