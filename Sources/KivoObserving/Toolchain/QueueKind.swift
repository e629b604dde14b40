#if canImport(Dispatch)
import Dispatch

extension DispatchQueue {
    /// Whether the kinds of queues can be recognised.
    static var areKindsKnown: Bool? {
        #if canImport(Darwin)
        nil
        #else
        serialKind != nil
        #endif
    }

    /// Whether several blocks of the queue, which is not the main queue, may run at once.
    ///
    /// Dispatch has no function for this. The queues of each kind have a class of their own. Apple's platforms give its name.
    /// Elsewhere a queue begins with the address of its class, which is compared with that of a serial queue. If neither is
    /// available, the queue counts as serial.
    package var isConcurrent: Bool {
        #if canImport(Darwin)
        let name = String(describing: type(of: self))
        return name.contains("concurrent") || name.contains("Concurrent") || name.contains("global")
        #else
        guard let kind = DispatchQueue.serialKind else { return false }
        return kindOfQueue != kind
        #endif
    }

    #if !canImport(Darwin)
    /// The class of serial queues, or nil if concurrent queues have the same class.
    private static let serialKind: UInt? = {
        let serial = DispatchQueue(label: "kivo.serial").kindOfQueue
        let concurrent = DispatchQueue(label: "kivo.concurrent", attributes: .concurrent).kindOfQueue
        return serial == concurrent ? nil : serial
    }()

    /// The address of the class that Dispatch uses for queues of this kind.
    private var kindOfQueue: UInt? {
        for case (label: "__wrapped", let value as OpaquePointer) in Mirror(reflecting: self).children {
            // The queue lives as long as the object that was reflected, and every object of Dispatch begins with its class.
            return withExtendedLifetime(self) { UnsafeRawPointer(value).load(as: UInt.self) }
        }
        return nil
    }
    #endif
}
#endif
