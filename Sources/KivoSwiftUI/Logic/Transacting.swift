import Kivo

/// Writes that views cause: each in a write transaction of its own, or in the one that is open.
@MainActor
package enum Transacting {
    /// Calls a closure with the live form of a value, inside of a write transaction if it is managed.
    ///
    /// An open transaction is joined, and stays open. A value that was deleted meanwhile is ignored: a view can be behind by one
    /// evaluation. An error of the transaction traps, because a binding cannot throw.
    package static func write<Value: ThreadConfined>(_ value: Value, _ body: (Value) -> Void) {
        if value.isInvalidated { return }
        guard value.realm != nil else { return body(value) }
        guard let live = value.isFrozen ? value.thaw() : value, let realm = live.realm else { return }
        if realm.isInWriteTransaction { return live.isInvalidated ? () : body(live) }
        do {
            // Beginning a write moves to the newest version, in which the value may be gone.
            try realm.write { live.isInvalidated ? () : body(live) }
        } catch {
            fatalError(
                """
                A write that a SwiftUI view caused to a value of type '\(Value.self)' failed: \(error). Write by \
                'realm.write' where errors have to be handled.
                """)
        }
    }

    /// An element as it is given to a live object or collection: frozen objects and collections as the live ones.
    package static func liveForm<Element>(_ element: Element) -> Element {
        guard let live = liveForm(ofAny: element) else { return element }
        return live as? Element ?? element
    }

    /// The live form of a frozen value; nil of all others, and if it is gone.
    ///
    /// It is not specialized: the optimizer of Swift 6.3 fails on `thaw()` of a class that it knows.
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
