import Kivo

/// Writes by views, each in its own write transaction or in the open one.
@MainActor
package enum Transacting {
    /// Calls a closure with the live form of a value, inside a write transaction if the value is managed.
    ///
    /// An open transaction is joined, and stays open. A value that was deleted meanwhile is ignored, because a view can be behind
    /// by one evaluation. Traps if the transaction fails, because a binding cannot throw.
    package static func write<Value: ThreadConfined>(_ value: Value, _ body: (Value) -> Void) {
        if value.isInvalidated { return }
        guard value.realm != nil else { return body(value) }
        guard let live = value.isFrozen ? value.thaw() : value, let realm = live.realm else { return }
        if realm.isInWriteTransaction { return live.isInvalidated ? () : body(live) }
        do {
            // Beginning a write advances to the newest version, in which the value may no longer exist.
            try realm.write { live.isInvalidated ? () : body(live) }
        } catch {
            fatalError(
                """
                A write that a SwiftUI view caused to a value of type '\(Value.self)' failed: \(error). Write by \
                'realm.write' where errors have to be handled.
                """)
        }
    }

    /// Returns an element for use with a live object or collection: the live form if the element is a frozen object or
    /// collection.
    package static func liveForm<Element>(_ element: Element) -> Element {
        guard let live = liveForm(ofAny: element) else { return element }
        return live as? Element ?? element
    }

    /// Returns the live form of a frozen value. Returns nil if the value is not frozen, or if it no longer exists.
    ///
    /// It is not specialised: the optimiser of Swift 6.3 fails on `thaw()` of a class that it knows.
    @inline(never)
    private static func liveForm(ofAny value: Any) -> Any? {
        if let value = value as? AnyRealmValue {
            guard case .object(let object) = value, let live = liveForm(ofAny: object) as? Object else {
                return nil
            }
            return AnyRealmValue.object(live)
        }
        guard let confined = value as? any ThreadConfined, confined.isFrozen else { return nil }
        return confined.thaw()
    }
}

extension MainActor {
    /// Calls a closure with a value and returns its result, on the main actor. Traps elsewhere.
    ///
    /// Protocols of SwiftUI and Combine that are not isolated call this module on the main actor. Neither the value nor the result
    /// has to be `Sendable`, because this runs there before and after the call.
    package nonisolated static func pass<Value, Result>(
        _ value: Value, _ body: @MainActor (Value) -> Result
    ) -> Result {
        nonisolated(unsafe) let value = value
        nonisolated(unsafe) var result: Result?
        assumeIsolated { result = body(value) }
        return result.unsafelyUnwrapped
    }
}
