#if canImport(Dispatch)
import Dispatch
#endif
import Foundation

/// The actor to which a handler belongs. Handlers are called on the thread that assigns, which the compiler cannot check.
@usableFromInline
enum HandlerIsolation {
    /// Returns a handler in the form in which it is called, without a hop to its actor.
    @inlinable @inline(__always)
    static func plain<Subject: KeyValueObservable, Value>(
        _ handler: @escaping @isolated(any) (Subject, KeyValueObservedChange<Value>) -> Void
    ) -> (Subject, KeyValueObservedChange<Value>) -> Void {
        // A function without `async` is called in the same way whatever its actor is: its callers change to the actor. The caller of
        // this one has checked that it runs there.
        unsafeBitCast(IsolatedHandler(call: handler), to: PlainHandler<Subject, Value>.self).call
    }

    /// Whether both forms have the same size. The cast ends the program otherwise.
    static var isKnown: Bool {
        MemoryLayout<IsolatedHandler<KeyValueObservations, Int>>.size
            == MemoryLayout<PlainHandler<KeyValueObservations, Int>>.size
    }

    // A function as the generic argument of `unsafeBitCast`, or in a structure with other parameters, would be wrapped in others.

    @usableFromInline
    struct IsolatedHandler<Subject: AnyObject, Value> {
        @usableFromInline let call: @isolated(any) (Subject, KeyValueObservedChange<Value>) -> Void

        @inlinable init(call: @escaping @isolated(any) (Subject, KeyValueObservedChange<Value>) -> Void) {
            self.call = call
        }
    }

    @usableFromInline
    struct PlainHandler<Subject: AnyObject, Value> {
        @usableFromInline let call: (Subject, KeyValueObservedChange<Value>) -> Void
    }

    /// Traps unless this code runs on the actor of a handler.
    @usableFromInline
    static func check(_ actor: any Actor, _ subject: AnyObject, _ path: WatchedKeyPath) {
        let isKnown = ExecutorIdentity(actor.unownedExecutor).runsCurrentJob
        if isKnown == true || (actor is MainActor && isOnMainQueue) { return }
        func message() -> String {
            let place = actor is MainActor ? "the main actor" : "actor '\(type(of: actor))'"
            return """
                A handler that belongs to \(place) observes '\(type(of: subject)).\(path.text)', which was changed elsewhere: iterate \
                over 'values(of:)' or 'changes(of:)' there, or declare the handler '@Sendable'.
                """
        }
        if isKnown == nil, !(actor is MainActor) {
            // Only the actor's executor knows.
            return actor.preconditionIsolated(message())
        }
        trap(message())
    }

    /// Whether this code runs on the main thread or the main queue. Without Darwin, other threads run the main queue's blocks
    /// once the main thread has nothing else to do.
    static var isOnMainQueue: Bool {
        if Thread.isMainThread { return true }
        #if canImport(Dispatch)
        return DispatchQueue.getSpecific(key: mainQueue) != nil
        #else
        return false
        #endif
    }

    #if canImport(Dispatch)
    private static let mainQueue: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
    #endif
}
