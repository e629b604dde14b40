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
        isKnown && flags(of: value.witnesses) & 1 << 19 != 0
    }

    /// Returns the flags of a conformance. The first entry of a table of witnesses is its description, in which they follow three
    /// references.
    private static func flags(of witnesses: UnsafePointer<UnsafeRawPointer>) -> UInt32 {
        witnesses.pointee.load(fromByteOffset: 12, as: UInt32.self)
    }

    /// Whether the flags are where they are expected: the number of conditions of a known conformance is among them.
    static let isKnown: Bool = {
        #if _ptrauth(_arm64e)
        // The addresses in a table of witnesses are signed there.
        return false
        #else
        let plain = unsafeBitCast(Plain() as any Sample, to: Existential.self)
        let conditional = unsafeBitCast(Conditional(value: 0) as any Sample, to: Existential.self)
        let (none, one) = (flags(of: plain.witnesses), flags(of: conditional.witnesses))
        return none & 1 << 19 == 0 && one & 1 << 19 == 0 && none >> 8 & 0xFF == 0 && one >> 8 & 0xFF == 1
        #endif
    }()

    fileprivate protocol Sample: AnyObject {}

    fileprivate final class Plain: Sample {}

    fileprivate final class Conditional<Value> {
        let value: Value
        init(value: Value) { self.value = value }
    }
}

extension IsolatedConformance.Conditional: IsolatedConformance.Sample where Value: Hashable {}
