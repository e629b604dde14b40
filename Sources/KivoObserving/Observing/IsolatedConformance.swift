/// Conformances that belong to the main actor, as that of `final class Log: @MainActor KeyValueObserver` does.
///
/// Swift 6 code uses such a conformance only on its actor. Swift 5 code, and objects that are declared safe to be passed on, can use
/// it elsewhere. A conformance says that it belongs to a global actor, but not in a simple way to which one: the first use, on the
/// main thread or elsewhere, decides.
enum IsolatedConformance {
    /// Returns whether the conformance of an observer belongs to the main actor. The caller uses it for the first time.
    static func isOfMainActor(_ observer: any KeyValueObserver) -> Bool {
        isIsolated(unsafeBitCast(observer as any KeyValueObserver, to: Existential.self))
            && HandlerIsolation.isOnMainQueue
    }

    /// Returns whether the conformance of an observed object belongs to the main actor. The caller uses it for the first time.
    static func isOfMainActor(_ object: any KeyValueObservable) -> Bool {
        isIsolated(unsafeBitCast(object as any KeyValueObservable, to: Existential.self))
            && HandlerIsolation.isOnMainQueue
    }

    /// A value of a protocol of classes. The caller holds the object.
    private struct Existential {
        let object: UInt
        let witnesses: UnsafePointer<UnsafeRawPointer>
    }

    private static func isIsolated(_ value: Existential) -> Bool {
        #if _ptrauth(_arm64e)
        // The addresses in a table of witnesses are signed there.
        return false
        #else
        // The first entry of a table of witnesses is the description of the conformance. Its flags follow three references.
        return value.witnesses.pointee.load(fromByteOffset: 12, as: UInt32.self) & 1 << 19 != 0
        #endif
    }
}
