/// The global actor to which a conformance belongs, as that of `final class Log: @MainActor KeyValueObserver` does.
///
/// Swift 6 code uses such a conformance only on its actor. Swift 5 code, and objects that are declared safe to be passed on, can use
/// it elsewhere. Which actor it is follows from the first use.
struct ConformanceActor {
    private enum Identity {
        case main
        /// The object that the actor's executor is.
        case executor(UInt)
    }

    private let identity: Identity

    /// Creates the actor of an observer's conformance, on which the caller runs; nil if the conformance belongs to none.
    init?(of observer: any KeyValueObserver) {
        self.init(unsafeBitCast(observer as any KeyValueObserver, to: Existential.self))
    }

    /// Creates the actor of an observed object's conformance, on which the caller runs; nil if the conformance belongs to none.
    init?(of object: any KeyValueObservable) {
        self.init(unsafeBitCast(object as any KeyValueObservable, to: Existential.self))
    }

    /// A value of a protocol of classes. The caller holds the object.
    private struct Existential {
        let object: UInt
        let witnesses: UnsafePointer<UnsafeRawPointer>
    }

    private init?(_ value: Existential) {
        #if _ptrauth(_arm64e)
        return nil
        #else
        // The first entry of a table of witnesses is the description of the conformance. Its flags follow three references.
        let flags = value.witnesses.pointee.load(fromByteOffset: 12, as: UInt32.self)
        let isIsolated = flags & 1 << 19 != 0
        if !isIsolated { return nil }
        if HandlerIsolation.isOnMainQueue {
            identity = .main
        } else if let executor = ExecutorIdentity.ofCurrentJob, executor != 0 {
            identity = .executor(executor)
        } else {
            return nil
        }
        #endif
    }

    /// Whether this code runs on the actor; true if that is unknown.
    var isCurrent: Bool {
        switch identity {
        case .main: HandlerIsolation.isOnMainQueue
        case .executor(let executor): ExecutorIdentity.ofCurrentJob.map { $0 == executor } ?? true
        }
    }
}
